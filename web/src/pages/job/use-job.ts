import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type JobView, type Page, type RemoteEntry, type RunView, StintError, type StreamedEntry } from 'stint/client'
import { uuidOf } from '../../data/ids.ts'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'

const quickMs = 400
const eventMax = 1_000

/** Entries of one job. Tasks have UUIDs that do not stand in their ids, so for those everything counts. */
function concerns(job: Pick<JobView, 'id'>): (entry: StreamedEntry) => boolean {
  const uuid = uuidOf(job.id)
  return /-task-\d+$/.test(job.id) ? () => true : ({ jobId }) => jobId === uuid
}

export function useJob(reference: string): UseQueryResult<JobView> {
  const { client } = useSession()
  return useLiveQuery(
    {
      queryKey: ['job', reference],
      queryFn: async () => {
        const job = await client.jobs.get(reference)
        if (job === null) throw new StintError('not_found', `There is no job ${reference}. It may have been pruned.`)
        return job
      },
    },
    { on: concerns({ id: reference }), everyMs: quickMs },
  )
}

export function useRuns(job: JobView): UseQueryResult<Page<RunView>> {
  const { client } = useSession()
  return useLiveQuery(
    { queryKey: ['job', job.id, 'runs'], queryFn: () => client.runs.list({ job }) },
    { on: concerns(job), everyMs: quickMs },
  )
}

/** The history of a job, from its beginning. */
export function useHistory(job: JobView): UseQueryResult<Page<RemoteEntry>> {
  const { client } = useSession()
  return useLiveQuery(
    { queryKey: ['job', job.id, 'events'], queryFn: () => client.events.list({ job, limit: eventMax }) },
    { on: concerns(job), everyMs: quickMs },
  )
}

/** Jobs whose names are below that of this one, the newest first. */
export function useBelow(job: JobView): UseQueryResult<Page<JobView>> {
  const { client } = useSession()
  return useLiveQuery({
    queryKey: ['job', job.id, 'below'],
    queryFn: () => client.jobs.list({ branch: job.name, limit: 200 }),
  })
}

/** How far it is. Progress is no event, so it is asked for while the job runs. */
export function useNotes(job: JobView) {
  const { client } = useSession()
  return useQuery({
    queryKey: ['job', job.id, 'notes'],
    queryFn: () => client.jobs.notes(job),
    refetchInterval: job.status === 'RUNNING' ? 1_000 : false,
  })
}
