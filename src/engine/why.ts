import { reasonOf } from '../core/job/reason.ts'
import type { ShutGate, Store, StoredJob } from '../store/store.ts'

/** Why jobs are not running, one text for each; null for those that run or are over. */
export async function reasonsOf(
  store: Store,
  jobs: readonly StoredJob[],
  now: number,
): Promise<readonly (string | null)[]> {
  const due = jobs.filter(({ job }) => job.phase === 'queued' && job.scheduledFor <= now)
  if (due.length === 0) return jobs.map(({ job }) => reasonOf(job, now))
  const gates = await store.gates(due.map(({ job }) => job.id))
  const shut = new Map(due.map(({ job }, i) => [job.id, gates[i] ?? null]))
  const known = await knownTypes(store)
  return jobs.map(({ job }) => {
    const gate = shut.get(job.id)
    if (gate === undefined) return reasonOf(job, now)
    if (gate !== null) return textOf(gate)
    return known.has(job.type) ? 'ready: waits for a free worker' : `no worker knows the type ${job.type}`
  })
}

async function knownTypes(store: Store): Promise<ReadonlySet<string>> {
  const workers = await store.workers()
  return new Set(workers.filter(({ lostAt }) => lostAt === null).flatMap(({ types }) => types))
}

function textOf(gate: ShutGate): string {
  if (gate.kind === 'paused') {
    const where = gate.path === null ? `the type ${gate.type} is paused` : `paused at ${gate.path}`
    return gate.reason === null ? where : `${where}: ${gate.reason}`
  }
  const { limit, held, holders } = gate
  if (limit.concurrency === null || held < limit.concurrency) return `limit ${limit.key}: its rate is used up for now`
  const others = held > holders.length ? ` and ${held - holders.length} more` : ''
  return holders.length === 0
    ? `limit ${limit.key} is full: nothing may start`
    : `limit ${limit.key} is full: held by ${holders.join(', ')}${others}`
}
