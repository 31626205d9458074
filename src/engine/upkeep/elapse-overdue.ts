import type { DeadlineKey } from '../../store/store.ts'
import type { Env } from '../env.ts'
import { applyAll } from './apply-all.ts'

const pageSize = 200

/** Ends what has run out of time: attempts, whole jobs, and jobs that waited too long for their first attempt. */
export async function elapseOverdue(env: Env): Promise<void> {
  let after: DeadlineKey | null = null
  do {
    const page = await env.store.overdue({ after, limit: pageSize })
    const requests = page.jobIds.map((job) => {
      return { job, command: { type: 'elapse', random: env.random() } as const, context: { actor: 'upkeep' } }
    })
    const changed = await applyAll(env, 'elapse', requests)
    if (changed > 0) env.metrics.add('stint_jobs_elapsed', {}, changed)
    after = page.next
  } while (after !== null)
}
