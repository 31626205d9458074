import type { JobView } from 'stint/client'
import { JobLink } from '../../ui/job-link.tsx'
import { JobStatus } from '../../ui/status.tsx'
import type { Column } from '../../ui/table.tsx'
import { Ago, Elapsed } from '../../ui/time.tsx'

export const jobColumns: readonly Column<JobView>[] = [
  { title: 'Status', width: '7.5rem', cell: (job) => <JobStatus job={job} /> },
  { title: 'Name', cell: (job) => <JobLink job={job} /> },
  { title: 'Type', width: '8.5rem', from: 'md', cell: ({ type }) => <span className="text-ink-2">{type}</span> },
  { title: 'Why', from: 'lg', cell: (job) => <Why job={job} /> },
  { title: 'Try', width: '3rem', align: 'right', from: 'lg', cell: ({ attempt }) => attempt || <None /> },
  { title: 'Took', width: '5.5rem', align: 'right', from: 'md', cell: (job) => <Took job={job} /> },
  { title: 'Created', width: '6rem', align: 'right', cell: ({ createdAt }) => <Ago at={createdAt} /> },
]

function None() {
  return <span className="text-ink-3">–</span>
}

/** Why it does not run, or why it ended as it did. */
export function Why({ job }: { readonly job: JobView }) {
  const { error, reason, status } = job
  if (error !== null && (status === null || status === 'CANCELLED' || job.state === 'error')) {
    return (
      <span className={status === null ? 'text-fail' : 'text-ink-2'} title={error}>
        {error}
      </span>
    )
  }
  return reason === null ? null : (
    <span className="text-ink-2" title={reason}>
      {reason}
    </span>
  )
}

function Took({ job: { startedAt, finishedAt, status } }: { readonly job: JobView }) {
  return status === 'QUEUED' ? <None /> : <Elapsed from={startedAt} to={finishedAt} />
}
