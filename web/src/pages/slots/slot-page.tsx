import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { SlotView } from 'stint/client'
import { CopyAsMenu } from '../../actions/copy-as-menu.tsx'
import { FailSlotDialog } from '../../actions/fail-slot-dialog.tsx'
import { failSlot, fillSlot } from '../../actions/slots.ts'
import { uuidOf } from '../../data/ids.ts'
import { useSession } from '../../data/session.tsx'
import { Button } from '../../ui/button.tsx'
import { History } from '../../ui/history.tsx'
import { JsonText } from '../../ui/json.tsx'
import { RecordPage, useRecord } from '../../ui/record-page.tsx'
import { Facts, PageBody, PageHead, Section } from '../../ui/section.tsx'
import { Ago, Time } from '../../ui/time.tsx'
import { FillForm } from './fill-form.tsx'
import { SlotStatus } from './slot-status.tsx'
import { Waiters } from './waiters.tsx'

export default function SlotPage() {
  const { slot: id = '' } = useParams({ strict: false }) as { slot?: string }
  const { client } = useSession()
  const slot = useRecord(['slots', id], () => client.slots.get(id), {
    on: ({ eventType }) => eventType.startsWith('slot.'),
  })
  return (
    <RecordPage title="Slot" query={slot}>
      {(found) => <Details slot={found} />}
    </RecordPage>
  )
}

function Details({ slot }: { readonly slot: SlotView }) {
  const { may } = useSession()
  const [isFailing, setIsFailing] = useState(false)
  const isOpen = slot.status === 'OPEN'
  return (
    <>
      <PageHead title={slot.label ?? slot.path} about={<SlotStatus slot={slot} />}>
        {isOpen && may('submit') && (
          <>
            <Button kind="danger" onClick={() => setIsFailing(true)}>
              Never …
            </Button>
            <CopyAsMenu actions={[fillSlot(slot, true), failSlot(slot, 'nobody answered')]} />
          </>
        )}
      </PageHead>
      <PageBody>
        <div className="grid grid-cols-2 gap-x-10 gap-y-7 max-lg:grid-cols-1">
          <div className="min-w-0 space-y-7">
            {isOpen && may('submit') && <FillForm slot={slot} />}
            <Section title="Slot">
              <Facts
                rows={[
                  ['Path', <code key="path">{slot.path}</code>],
                  ['Id', <code key="id">{slot.id}</code>],
                  ['Made', <Time key="made" at={slot.createdAt} />],
                  ...(slot.dueAt === null ? [] : ([['Fills itself', <Ago key="due" at={slot.dueAt} />]] as const)),
                  ...(slot.settledAt === null ? [] : ([['Settled', <Time key="at" at={slot.settledAt} />]] as const)),
                  ...(slot.filledBy === null ? [] : ([['Filled by', slot.filledBy]] as const)),
                  ...(slot.error === null ? [] : ([['Why never', slot.error]] as const)),
                ]}
              />
            </Section>
            {slot.status === 'FILLED' && (
              <Section title="Value">
                <div className="pt-3">
                  <JsonText value={slot.value} label="Copy the value" />
                </div>
              </Section>
            )}
          </div>
          <div className="min-w-0 space-y-7">
            <Waiters slot={slot} />
            <History record={uuidOf(slot.id)} />
          </div>
        </div>
      </PageBody>
      {isFailing && <FailSlotDialog slot={slot} onClose={() => setIsFailing(false)} />}
    </>
  )
}
