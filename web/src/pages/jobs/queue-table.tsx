import { useNavigate } from '@tanstack/react-router'
import type { JobView } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { moveJob } from '../../actions/jobs.ts'
import { addressOf } from '../../data/ids.ts'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { JobLink } from '../../ui/job-link.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'

const shownMax = 500

const columns: readonly Column<JobView>[] = [
  { title: 'Priority', width: '5rem', align: 'right', cell: ({ priority }) => priority },
  { title: 'Name', cell: (job) => <JobLink job={job} /> },
  { title: 'Type', width: '9rem', from: 'lg', cell: ({ type }) => <span className="text-ink-2">{type}</span> },
  { title: 'Why', from: 'lg', cell: ({ reason }) => <span className="text-ink-2">{reason}</span> },
  { title: 'Ready since', width: '7rem', align: 'right', cell: ({ scheduledFor }) => <Ago at={scheduledFor} /> },
]

const movable: readonly Column<JobView>[] = [
  ...columns,
  {
    title: 'Move',
    width: '19rem',
    align: 'right',
    cell: (job) => (
      <span className="revealed">
        <ActionButton kind="quiet" action={moveJob(job, 'front')} />
        <ActionButton kind="quiet" action={moveJob(job, 'end')} />
      </span>
    ),
  },
]

/** Jobs that may start now, in the order in which workers get them. */
export function QueueTable({ type }: { readonly type: string | undefined }) {
  const { client, may } = useSession()
  const navigate = useNavigate()
  const queue = useLiveQuery({
    queryKey: ['jobs', 'queue', type ?? null],
    queryFn: () => client.jobs.queue({ ...(type === undefined ? {} : { type }), limit: shownMax }),
  })
  return (
    <Answer query={queue} rows={16}>
      {({ items }) => (
        <DataTable
          label="Next in line"
          columns={may('submit') ? movable : columns}
          rows={items}
          keyOf={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/jobs/$job', params: { job: addressOf(id) } as never })}
          foot={
            items.length === 0 ? (
              <div className="px-6">
                <Empty title="Nothing waits to start.">
                  Jobs that may start now stand here, in the order in which workers get them. Those that wait for their
                  time, a limit or a value are under Queued, with why.
                </Empty>
              </div>
            ) : (
              <p className="text-ink-3 px-6 py-3">The first {items.length}, as workers get them.</p>
            )
          }
        />
      )}
    </Answer>
  )
}
