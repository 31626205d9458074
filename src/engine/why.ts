import { type Job, waitsForOthers } from '../core/job/job.ts'
import { reasonOf } from '../core/job/reason.ts'
import { JobName } from '../core/names/job-name.ts'
import { isUnresolved } from '../core/slot/needs.ts'
import type { GroupRow } from '../store/controls.ts'
import type { ShutGate, Store, StoredJob, WorkerRow } from '../store/store.ts'

/** Why jobs are not running, one text for each; null for those that run or are over. */
export async function reasonsOf(
  store: Store,
  jobs: readonly StoredJob[],
  now: number,
): Promise<readonly (string | null)[]> {
  const waitingFor = await groupsOf(store, jobs)
  const values = await valuesFor(store, jobs)
  const due = jobs.filter(({ job }) => job.phase === 'queued' && job.scheduledFor <= now)
  const gates = due.length === 0 ? [] : await store.gates(due.map(({ job }) => job.id))
  const shut = new Map(due.map(({ job }, i) => [job.id, gates[i] ?? null]))
  const workers = due.length === 0 ? [] : (await store.workers()).filter(({ lostAt }) => lostAt === null)
  return jobs.map(({ job }) => {
    const group = isAwaitingGroup(job) ? waitingFor.get(job.groupId ?? '') : undefined
    if (group !== undefined) return turnOf(group)
    const slots = values.get(job.id)
    if (slots !== undefined) return slots
    const gate = shut.get(job.id)
    if (gate === undefined) return reasonOf(job, now)
    if (gate !== null) return textOf(gate)
    return workerFor(job, workers)
  })
}

const shownMax = 3
const pageSize = 100

/** What jobs wait for the values of, in words, by id. */
async function valuesFor(store: Store, jobs: readonly StoredJob[]): Promise<ReadonlyMap<string, string>> {
  const waiting = jobs.filter(({ job }) => waitsForOthers(job) && (job.output !== null || isUnresolved(job)))
  const ids = waiting.map(({ job }) => job.id)
  const texts = new Map<string, string>()
  for (let from = 0; from < ids.length; from += pageSize) {
    const page = ids.slice(from, from + pageSize)
    const awaited = await store.control('slot.awaited', { jobs: page, limit: shownMax })
    for (const [i, { names, count }] of awaited.entries()) {
      const more = count > names.length ? ` and ${count - names.length} more` : ''
      if (names.length > 0) texts.set(page[i] ?? '', `waits for the value of ${names.join(', ')}${more}`)
    }
  }
  return texts
}

function workerFor({ type, name }: Job, workers: readonly WorkerRow[]): string {
  const knowing = workers.filter(({ types }) => types.includes(type))
  if (knowing.length === 0) return `no worker knows the type ${type}`
  const own = JobName.parse(name)
  const isFor = (path: string) => JobName.parse(path).isAncestorOf(own)
  if (knowing.some(({ paths }) => paths === null || paths.some(isFor))) return 'ready: waits for a free worker'
  return `no worker for this path: all that know the type ${type} are bound elsewhere`
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
