import type { Job } from '../core/job/job.ts'
import { reasonOf } from '../core/job/reason.ts'
import type { GroupRow } from '../store/controls.ts'
import type { ShutGate, Store, StoredJob } from '../store/store.ts'

/** Why jobs are not running, one text for each; null for those that run or are over. */
export async function reasonsOf(
  store: Store,
  jobs: readonly StoredJob[],
  now: number,
): Promise<readonly (string | null)[]> {
  const waitingFor = await groupsOf(store, jobs)
  const due = jobs.filter(({ job }) => job.phase === 'queued' && job.scheduledFor <= now)
  const gates = due.length === 0 ? [] : await store.gates(due.map(({ job }) => job.id))
  const shut = new Map(due.map(({ job }, i) => [job.id, gates[i] ?? null]))
  const known = due.length === 0 ? new Set() : await knownTypes(store)
  return jobs.map(({ job }) => {
    const group = isAwaitingGroup(job) ? waitingFor.get(job.groupId ?? '') : undefined
    if (group !== undefined) return turnOf(group)
    const gate = shut.get(job.id)
    if (gate === undefined) return reasonOf(job, now)
    if (gate !== null) return textOf(gate)
    return known.has(job.type) ? 'ready: waits for a free worker' : `no worker knows the type ${job.type}`
  })
}

function isAwaitingGroup({ phase, state, replaces, groupId }: Job): boolean {
  return phase === 'pending' && state === 'initial' && replaces === null && groupId !== null
}

/** The groups that jobs wait for, by id. */
async function groupsOf(store: Store, jobs: readonly StoredJob[]): Promise<ReadonlyMap<string, GroupRow>> {
  const ids = new Set(jobs.flatMap(({ job }) => (isAwaitingGroup(job) ? (job.groupId ?? []) : [])))
  const groups = new Map<string, GroupRow>()
  for (const id of ids) {
    const group = await store.control('group.get', { group: id })
    if (group !== null) groups.set(id, group)
  }
  return groups
}

function turnOf({ path, sealed, stopped, cancelRequested, mode }: GroupRow): string {
  if (cancelRequested) return `its group ${path} is being cancelled`
  if (stopped) return `its group ${path} has stopped`
  if (!sealed) return `waits for its group ${path} to be sealed`
  return mode === 'sequential' ? `waits for its turn in the group ${path}` : `waits for its group ${path}`
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
