import type { UseQueryResult } from '@tanstack/react-query'
import type { IncrementalTaskState, JobView } from 'stint/client'
import { useLiveQuery } from '../../../data/live-query.ts'
import { useSession } from '../../../data/session.tsx'

const pageSize = 1_000
export const taskMax = 10_000

/** All tasks of a sharded job, as far as they can be looked at together. */
export function useTasks(job: JobView): UseQueryResult<readonly IncrementalTaskState[]> {
  const { client } = useSession()
  return useLiveQuery(
    {
      queryKey: ['job', job.id, 'tasks'],
      queryFn: async () => {
        const tasks: IncrementalTaskState[] = []
        let cursor: string | null = null
        do {
          const page: Awaited<ReturnType<typeof client.shards.tasks>> = await client.shards.tasks(job, {
            cursor,
            limit: pageSize,
          })
          tasks.push(...page.items)
          cursor = page.cursor
        } while (cursor !== null && tasks.length < taskMax)
        return tasks
      },
    },
    { on: ({ eventType }) => eventType.startsWith('task.') || eventType.startsWith('job.run.'), everyMs: 2_000 },
  )
}

/** How a task stands: one that has not begun is told from one that runs. */
export type TaskStanding = 'waiting' | 'running' | 'done' | 'failed' | 'aborted'

export function standingOfTask({ status, slice, progress }: IncrementalTaskState): TaskStanding {
  if (status === 'DONE') return 'done'
  if (status === 'ERROR') return 'failed'
  if (status === 'ABORTED') return 'aborted'
  return slice === 0 && progress === null ? 'waiting' : 'running'
}
