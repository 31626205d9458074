import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { SlotView } from 'stint/client'
import { FillSlotDialog } from '../../actions/fill-slot-dialog.tsx'
import { uuidOf } from '../../data/ids.ts'
import { useRecordRows } from '../../data/record-rows.ts'
import { useSession } from '../../data/session.tsx'
import { useUrlState } from '../../data/url-state.ts'
import { Button } from '../../ui/button.tsx'
import { JsonLine } from '../../ui/json.tsx'
import { PathFilter, useRecordsQuery } from '../../ui/path-filter.tsx'
import { PathLink } from '../../ui/path-link.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { PageHead } from '../../ui/section.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Ago } from '../../ui/time.tsx'
import { SlotStatus } from './slot-status.tsx'

const tabs = [
  { value: '', label: 'Awaits somebody' },
  { value: 'timed', label: 'Filled by time' },
  { value: 'settled', label: 'Settled' },
  { value: 'all', label: 'All' },
]

function isShown({ status, dueAt }: SlotView, tab: string): boolean {
  if (tab === 'all') return true
  if (tab === 'settled') return status !== 'OPEN'
  return status === 'OPEN' && (dueAt === null) === (tab === '')
}

/** What is awaited has no value yet, and was filled by nobody. */
function columnsOf(tab: string): readonly Column<SlotView>[] {
  return tab === '' ? columns.filter(({ title }) => title !== 'Value' && title !== 'By') : columns
}

const columns: readonly Column<SlotView>[] = [
  { title: 'Status', width: '6.5rem', cell: (slot) => <SlotStatus slot={slot} /> },
  { title: 'What', width: '26%', cell: ({ label }) => label ?? <span className="text-ink-3">–</span> },
  { title: 'Slot', cell: ({ id, path }) => <PathLink to="/slots" id={uuidOf(id)} path={path} /> },
  { title: 'Value', width: '18%', from: 'lg', cell: (slot) => <ValueCell slot={slot} /> },
  { title: 'By', width: '8rem', from: 'xl', cell: ({ filledBy }) => <span className="text-ink-2">{filledBy}</span> },
  {
    title: 'Since',
    width: '6.5rem',
    align: 'right',
    cell: ({ createdAt, settledAt }) => <Ago at={settledAt ?? createdAt} />,
  },
]

function ValueCell({ slot: { status, value, error, dueAt } }: { readonly slot: SlotView }) {
  if (status === 'FILLED') return <JsonLine value={value} />
  if (status === 'FAILED') return <span className="text-fail">{error}</span>
  return dueAt === null ? null : (
    <span className="text-ink-2">
      fills itself <Ago at={dueAt} />
    </span>
  )
}

const snippet = `const ok = await stint.slots.create('/reports/daily/approval', { label: 'May the report go out?' })
await stint.submit(publish, {}, { after: [ok] })`

export default function SlotsPage() {
  const { client, may } = useSession()
  const navigate = useNavigate()
  const [{ tab = '' }] = useUrlState()
  const [filling, setFilling] = useState<SlotView | null>(null)
  const { path } = useRecordsQuery()
  const query = { all: true, ...(path === undefined ? {} : { path }) }
  const list = useRecordRows(['slots', 'list', query], (page) => client.slots.list({ ...query, ...page }), {
    on: ({ eventType }) => eventType.startsWith('slot.'),
  })
  const fill: Column<SlotView> = {
    title: 'Fill',
    width: '5.5rem',
    align: 'right',
    cell: (slot) =>
      slot.status === 'OPEN' && (
        <Button className="h-6!" onClick={() => setFilling(slot)}>
          Fill …
        </Button>
      ),
  }
  return (
    <>
      <PageHead title="Slots" about="values that jobs wait for">
        <PathFilter placeholder="/reports" />
      </PageHead>
      <Tabs label="Slots" name="tab" tabs={tabs} />
      <RecordTable
        label="Slots"
        columns={may('submit') && tab !== 'settled' ? [...columnsOf(tab), fill] : columnsOf(tab)}
        list={list}
        rows={list.rows.filter((slot) => isShown(slot, tab))}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: `/slots/${uuidOf(id)}` })}
        empty={
          <Empty title={tab === '' ? 'Nobody is waited for.' : 'No such slots.'} snippet={snippet}>
            A slot is a value to come: an approval, an answer of another system, a moment. Jobs wait for it and hold no
            worker meanwhile. Whoever fills it does so once.
          </Empty>
        }
      />
      {filling !== null && <FillSlotDialog slot={filling} onClose={() => setFilling(null)} />}
    </>
  )
}
