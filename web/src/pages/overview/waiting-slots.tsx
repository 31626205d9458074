import { useState } from 'react'
import type { SlotView } from 'stint/client'
import { FillSlotDialog } from '../../actions/fill-slot-dialog.tsx'
import { uuidOf } from '../../data/ids.ts'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { PathLink } from '../../ui/path-link.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Section } from '../../ui/section.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'

const shownMax = 5

/** Values that jobs wait for and that somebody has to give. */
export function WaitingSlots() {
  const { client, may } = useSession()
  const [filling, setFilling] = useState<SlotView | null>(null)
  const slots = useLiveQuery(
    { queryKey: ['slots', 'waiting'], queryFn: () => client.slots.list({ limit: 100 }) },
    { on: ({ eventType }) => eventType.startsWith('slot.'), everyMs: 2_000 },
  )
  return (
    <Section title="Waits for somebody">
      <Answer query={slots} rows={2}>
        {({ items }) => {
          const open = items.filter(({ status, dueAt }) => status === 'OPEN' && dueAt === null)
          return open.length === 0 ? (
            <Empty title="Nobody is waited for.">
              Approvals and other values that a person gives stand here until they do.
            </Empty>
          ) : (
            <Rows
              label="Waits for somebody"
              head={['Slot', 'What', ['Since', 'right'], ['', 'right']]}
              widths={['auto', '40%', '5rem', may('submit') ? '4.5rem' : '0']}
              rows={open.slice(0, shownMax).map((slot) => [
                slot.id,
                <PathLink key="path" to="/slots" id={uuidOf(slot.id)} path={slot.path} />,
                <span key="label" className="text-ink-2">
                  {slot.label}
                </span>,
                <Ago key="since" at={slot.createdAt} />,
                may('submit') ? (
                  <Button key="fill" className="h-6!" onClick={() => setFilling(slot)}>
                    Fill …
                  </Button>
                ) : null,
              ])}
            />
          )
        }}
      </Answer>
      {filling !== null && <FillSlotDialog slot={filling} onClose={() => setFilling(null)} />}
    </Section>
  )
}
