import type { ApplyRequest } from '../../store/store.ts'
import type { Env } from '../env.ts'
import { applyEach } from '../worker/completer.ts'

/** Applies what upkeep found and tells how many jobs it changed. A row that fails is counted and left; the others go on. */
export async function applyAll(env: Env, service: string, requests: readonly ApplyRequest[]): Promise<number> {
  if (requests.length === 0) return 0
  let changed = 0
  for (const result of await applyEach(env, requests)) {
    if (result.ok) changed += result.events.length > 0 ? 1 : 0
    // A token that is stale says that the job has moved on in the meantime, which is as good as done.
    else if (result.error.code !== 'stale_token') env.metrics.add('stint_upkeep_errors', { service })
  }
  return changed
}
