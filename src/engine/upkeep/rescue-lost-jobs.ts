import type { Env } from '../env.ts'
import { applyAll } from './apply-all.ts'

const pageSize = 200

/**
 * Takes the attempts of lost workers away from them. A worker is marked lost first, guarded by its lease; then its jobs are
 * swept, for as long as any running job has a worker that is lost or was never known. Each is decided on the token that was
 * read: one that has ended or was claimed anew in the meantime is left alone.
 */
export async function rescueLostJobs(env: Env): Promise<void> {
  const { store, metrics } = env
  const lost = await store.buryLost()
  if (lost.length > 0) metrics.add('stint_workers_lost', {}, lost.length)
  let after: number | null = null
  do {
    const page = await store.orphans({ after, limit: pageSize })
    const requests = page.attempts.map(({ jobId, token, alone }) => {
      const command = { type: 'lose', token, alone, random: env.random() } as const
      return { job: jobId, command, context: { actor: 'rescue' } }
    })
    const changed = await applyAll(env, 'rescue', requests)
    if (changed > 0) metrics.add('stint_attempts_rescued', {}, changed)
    after = page.next
  } while (after !== null)
}
