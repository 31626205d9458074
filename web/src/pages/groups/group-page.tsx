import { useNavigate, useParams } from '@tanstack/react-router'
import type { GroupView, MemberView } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { CopyAsMenu } from '../../actions/copy-as-menu.tsx'
import { cancelGroup, reorderGroup, sealGroup } from '../../actions/groups.ts'
import { addressOf } from '../../data/ids.ts'
import { type RecordRows, useRecordRows } from '../../data/record-rows.ts'
import { useSession } from '../../data/session.tsx'
import { JobLink } from '../../ui/job-link.tsx'
import { RecordPage, useRecord } from '../../ui/record-page.tsx'
import { RecordTable } from '../../ui/record-table.tsx'
import { PageHead, PathTitle } from '../../ui/section.tsx'
import { Empty } from '../../ui/states.tsx'
import { JobStatus } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Ago, Elapsed } from '../../ui/time.tsx'
import { GroupProgress } from './group-progress.tsx'
import { GroupStatus } from './group-status.tsx'
import { modeText } from './groups-page.tsx'

const concerns = {
  on: ({ eventType }: { readonly eventType: string }) => /^(group|job)\./.test(eventType),
  everyMs: 1_500,
}

export default function GroupPage() {
  const { group: id = '' } = useParams({ strict: false }) as { group?: string }
  const { client } = useSession()
  const group = useRecord(['groups', id], () => client.groups.get(id), concerns)
  return (
    <RecordPage title="Group" query={group}>
      {(found) => <Details group={found} />}
    </RecordPage>
  )
}

function Details({ group }: { readonly group: GroupView }) {
  const { client, may } = useSession()
  const navigate = useNavigate()
  const { id, status, sealed } = group
  const isOver = status === 'COMPLETED' || status === 'PARTIAL' || status === 'CANCELLED'
  const list = useRecordRows(['groups', id, 'members'], (page) => client.groups.members(id, page), concerns)
  const columns = may('submit') && !isOver ? [...memberColumns, orderColumn(group, list)] : memberColumns
  return (
    <>
      <PageHead title={<PathTitle path={group.path} />} about={<GroupStatus group={group} />}>
        {!sealed && !isOver && <ActionButton kind="primary" action={sealGroup(group)} />}
        {!isOver && (
          <>
            <ActionButton
              kind="danger"
              action={cancelGroup(group)}
              confirm={<p>All members that are not over are cancelled: at once what waits, and what runs is told.</p>}
            />
            <CopyAsMenu actions={[sealGroup(group), cancelGroup(group)]} />
          </>
        )}
      </PageHead>
      <div className="border-line-strong mx-6 grid grid-cols-[minmax(0,1fr)_max-content] gap-x-10 border-t py-3 max-md:grid-cols-1">
        <div>
          {group.label !== null && <p className="pb-1 text-[15px]">{group.label}</p>}
          <GroupProgress counts={group.counts} wide />
        </div>
        <p className="text-ink-2">
          {modeText(group)}
          {group.stopped && <span className="text-fail"> · stopped by a failure</span>}
          {group.cancelRequested && ' · being cancelled'} · took{' '}
          <Elapsed from={group.startedAt} to={group.finishedAt} /> · made <Ago at={group.createdAt} />
          {group.finish !== null && (
            <span className="block">
              then <JobLink job={{ id: group.finish.jobId, name: group.finish.name }} />
            </span>
          )}
        </p>
      </div>
      <RecordTable
        label="Members"
        columns={columns}
        list={list}
        keyOf={(member) => member.id}
        onOpen={(member) => void navigate({ to: '/jobs/$job', params: { job: addressOf(member.id) } as never })}
        empty={
          <Empty title="No members yet.">
            Jobs are added with <code>stint.groups.add</code>, and wait until the group is sealed.
          </Empty>
        }
      />
    </>
  )
}

const memberColumns: readonly Column<MemberView>[] = [
  { title: 'Status', width: '7.75rem', cell: (member) => <JobStatus job={member} /> },
  { title: 'Member', cell: (member) => <JobLink job={member} /> },
  { title: 'Type', width: '9rem', from: 'md', cell: ({ type }) => <span className="text-ink-2">{type}</span> },
  {
    title: 'Try',
    width: '3rem',
    align: 'right',
    cell: ({ attempt }) => attempt || <span className="text-ink-3">–</span>,
  },
]

/** Moves a member among those that have not started. All of them must be known for that. */
function orderColumn(group: GroupView, { rows, isMore }: RecordRows<MemberView>): Column<MemberView> {
  const waiting = rows.filter(({ status, attempt }) => status === 'QUEUED' && attempt === 0).map(({ id }) => id)
  return {
    title: 'Order',
    width: '12rem',
    align: 'right',
    cell: ({ id }) => {
      if (isMore || waiting.length < 2 || !waiting.includes(id)) return null
      const others = waiting.filter((each) => each !== id)
      return (
        <span className="revealed">
          <ActionButton kind="quiet" action={reorderGroup(group, [id, ...others], 'First')} />
          <ActionButton kind="quiet" action={reorderGroup(group, [...others, id], 'Last')} />
        </span>
      )
    },
  }
}
