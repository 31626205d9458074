import { useNavigate } from '@tanstack/react-router'
import type { GroupView } from 'stint/client'
import { useRecordRows } from '../../data/record-rows.ts'
import { useSession } from '../../data/session.tsx'
import { useUrlState } from '../../data/url-state.ts'
import { PathFilter, useRecordsQuery } from '../../ui/path-filter.tsx'
import { PathLink } from '../../ui/path-link.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { PageHead } from '../../ui/section.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Ago, Elapsed } from '../../ui/time.tsx'
import { GroupProgress } from './group-progress.tsx'
import { GroupStatus } from './group-status.tsx'

const tabs = [
  { value: '', label: 'All' },
  { value: 'live', label: 'Not over' },
]

export function modeText({ mode, width, onFailure }: Pick<GroupView, 'mode' | 'width' | 'onFailure'>): string {
  if (mode === 'parallel') return width === null ? 'all at once' : `at most ${width} at once`
  return onFailure === 'continue' ? 'one after the other, whatever fails' : 'one after the other'
}

const columns: readonly Column<GroupView>[] = [
  { title: 'Status', width: '7.5rem', cell: (group) => <GroupStatus group={group} /> },
  {
    title: 'Group',
    cell: ({ id, path, label }) => (
      <>
        <PathLink to="/groups" id={id} path={path} />
        {label !== null && <span className="text-ink-2 ml-3">{label}</span>}
      </>
    ),
  },
  { title: 'Runs', width: '15rem', from: 'lg', cell: (group) => <span className="text-ink-2">{modeText(group)}</span> },
  { title: 'Members', width: '15rem', cell: ({ counts }) => <GroupProgress counts={counts} /> },
  { title: 'Took', width: '6rem', align: 'right', from: 'md', cell: (group) => <Took group={group} /> },
  { title: 'Created', width: '6.5rem', align: 'right', cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

function Took({ group: { startedAt, finishedAt } }: { readonly group: GroupView }) {
  return <Elapsed from={startedAt} to={finishedAt} />
}

const snippet = `await stint.groups.run({
  path: '/orders/nightly', mode: 'parallel', width: 4,
  jobs: orders.map((order) => ({ job: invoice, params: { order } })),
})`

export default function GroupsPage() {
  const { client } = useSession()
  const navigate = useNavigate()
  const [{ tab = '' }] = useUrlState()
  const { path } = useRecordsQuery()
  const query = { all: tab === '', ...(path === undefined ? {} : { path }) }
  const list = useRecordRows(['groups', 'list', query], (page) => client.groups.list({ ...query, ...page }), {
    // Their members are jobs: every end of one moves a group on.
    on: ({ eventType }) => /^(group|job\.run|job\.cancelled)/.test(eventType),
    everyMs: 2_000,
  })
  return (
    <>
      <PageHead title="Groups">
        <PathFilter placeholder="/orders" />
      </PageHead>
      <Tabs label="Groups" name="tab" tabs={tabs} />
      <RecordTable
        label="Groups"
        columns={columns}
        list={list}
        keyOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: `/groups/${id}` })}
        empty={
          <Empty title="No groups here." snippet={snippet}>
            A group is many jobs as one: all at once or one after the other, cancelled and reordered together, with a
            job that follows their end.
          </Empty>
        }
      />
    </>
  )
}
