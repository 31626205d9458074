import type { Job } from '../../core/job/job.ts'
import type { ShardedSpec } from '../../core/shard/sharded.ts'
import { shardPage } from '../../store/control/shards.ts'
import type { ShardRow } from '../../store/shards/shards.ts'
import { taskUuid } from '../../store/shards/task-id.ts'
import type { StoredJob } from '../../store/store.ts'
import type { Env } from '../env.ts'
import { TerminalError } from '../later.ts'
import type { Attempt } from '../worker/attempt.ts'

export interface Plan {
  readonly shards: readonly ShardRow[]
  /** Done already, by the job that this one is the retry of. */
  readonly adopted: readonly ShardRow[]
}

/** How much of a plan is written in one transaction, in characters of JSON. */
const pageChars = 4_000_000

/** Writes a plan page by page. It counts once the attempt says so, so a plan that was begun and not ended is nothing. */
export async function writePlan({ store }: Env, attempt: Attempt, plan: Plan, spec: ShardedSpec): Promise<void> {
  const { token } = attempt
  const job = attempt.stored.job.id
  const [first = [], ...others] = pages(plan.shards)
  await store.control('shard.plan', { job, token, spec, shards: first })
  // Two at once: one is put together while the database writes the other.
  for (let i = 0; i < others.length; i += 2) {
    await Promise.all(others.slice(i, i + 2).map((shards) => store.control('shard.plan', { job, token, shards })))
  }
  for (const adopted of pages(plan.adopted)) await store.control('shard.plan', { job, token, shards: [], adopted })
}

function pages(shards: readonly ShardRow[]): readonly (readonly ShardRow[])[] {
  const made: ShardRow[][] = []
  let chars = pageChars
  for (const shard of shards) {
    chars += shard.state.length
    const page = made.at(-1)
    if (page === undefined || chars > pageChars || page.length === shardPage) {
      made.push([shard])
      chars = shard.state.length
    } else page.push(shard)
  }
  return made
}

/** A shard of a sharded job, whether it is a task or not. */
export interface ShardState {
  readonly index: number
  /** Its task; null when it is none yet, or was taken over. */
  readonly task: StoredJob | null
  /** JSON text of its newest state. */
  readonly state: string
  readonly isDone: boolean
  readonly error: string | null
}

/** How many tasks are read at once. */
const readPage = 500

/** The shards of a job by index, from one on. */
export async function shardsFrom(
  { store }: Pick<Env, 'store'>,
  { job }: StoredJob,
  from: number,
  limit: number,
): Promise<readonly ShardState[]> {
  const last = Math.min(job.shards ?? 0, from + limit)
  const indexes = Array.from({ length: Math.max(0, last - from) }, (_, i) => from + i)
  const found = await store.find(indexes.map((index) => ({ id: taskUuid(job.id, index) })))
  const missing = found.some((task) => task === null)
  const read = async (adopted: boolean) => {
    const rows = missing ? await store.control('shard.list', { job: job.id, from, limit, adopted }) : []
    return new Map(rows.map(({ idx, state }) => [idx, state]))
  }
  const [adopted, waiting] = [await read(true), await read(false)]
  return indexes.map((index, i): ShardState => {
    const task = found[i] ?? null
    if (task === null) {
      const state = adopted.get(index)
      const isDone = state !== undefined
      return { index, task, state: state ?? waiting.get(index) ?? 'null', isDone, error: null }
    }
    const isDone = task.job.outcome === 'COMPLETED' && task.job.state === 'final'
    const error = task.job.error ?? task.job.slices?.error ?? null
    return { index, task, state: task.result ?? task.params ?? 'null', isDone, error }
  })
}

/** All shards of a job, by index. */
export async function allTasks(env: Pick<Env, 'store'>, stored: StoredJob): Promise<readonly ShardState[]> {
  const shards: ShardState[] = []
  for (let from = 0; from < (stored.job.shards ?? 0); from += readPage) {
    shards.push(...(await shardsFrom(env, stored, from, readPage)))
  }
  return shards
}

/** What a shard came to. */
export type ShardEnd = Pick<ShardState, 'index' | 'state' | 'isDone' | 'error'>

/** What all shards of a job came to, by index, without what else their tasks are. */
export async function shardEnds({ store }: Pick<Env, 'store'>, { job }: StoredJob): Promise<readonly ShardEnd[]> {
  const total = job.shards ?? 0
  const pageFrom = async (from: number): Promise<readonly ShardEnd[]> => {
    const limit = Math.min(shardPage, total - from)
    const page = { job: job.id, from, limit }
    const tasks = new Map((await store.control('shard.tasks', page)).map((task) => [task.idx, task]))
    const rows = tasks.size === limit ? [] : await store.control('shard.list', { ...page, adopted: true })
    const adopted = new Map(rows.map(({ idx, state }) => [idx, state]))
    return Array.from({ length: limit }, (_, i) => {
      const index = from + i
      const { state, done, error } = tasks.get(index) ?? { state: null, done: 0, error: null }
      const kept = adopted.get(index)
      return { index, state: state ?? kept ?? 'null', isDone: done === 1 || kept !== undefined, error }
    })
  }
  const ends: ShardEnd[] = []
  // Two at once: the database reads the second while the first is put together.
  for (let from = 0; from < total; from += 2 * shardPage) {
    const starts = [from, from + shardPage].filter((start) => start < total)
    for (const page of await Promise.all(starts.map(pageFrom))) for (const end of page) ends.push(end)
  }
  return ends
}

/**
 * The plan of a job that is the retry of a sharded one: shards that were done keep their states unless they are to run again,
 * the others begin anew. Null when there is nothing to take over.
 */
export async function adoptedPlan(env: Pick<Env, 'store'>, { job }: StoredJob): Promise<Plan | null> {
  const earlier = await earlierOf(env, job)
  if (earlier === null && job.rerun !== null) throw new TerminalError(goneText(job.retryOf ?? '', job.rerun))
  if (earlier === null) return null
  // A retry that came to no plan has nothing of its own: what it would have taken over is still there.
  if (earlier.job.shards === null) return await adoptedPlan(env, earlier)
  const chosen = new Set(job.rerun)
  const shards = await allTasks(env, earlier)
  const open = shards.filter(({ index, isDone }) => !isDone || chosen.has(index))
  if (open.length === 0) return null
  const kept = shards.filter(({ index, isDone }) => isDone && !chosen.has(index))
  return {
    shards: await initialRows(env, earlier, open),
    adopted: kept.map(({ index, state }) => ({ idx: index, state })),
  }
}

async function initialRows(env: Pick<Env, 'store'>, of: StoredJob, shards: readonly ShardState[]) {
  const adopted = shards.filter(({ isDone, task }) => isDone && task === null).map(({ index }) => index)
  const states = await statesBefore(env, of, adopted)
  return shards.map(({ index, task, state }): ShardRow => {
    return { idx: index, state: states.get(index) ?? task?.params ?? state }
  })
}

/** What shards whose states were taken over began with: that stands with the job that ran them, maybe some retries before. */
async function statesBefore(env: Pick<Env, 'store'>, { job }: StoredJob, indexes: readonly number[]) {
  const states = new Map<number, string>()
  let missing = indexes
  let before = missing.length === 0 ? null : await earlierOf(env, job)
  while (before !== null && missing.length > 0) {
    for (let i = 0; i < missing.length; i += readPage) {
      const tasks = await tasksOf(env, before.job.id, missing.slice(i, i + readPage))
      for (const {
        job: { task },
        params,
      } of tasks)
        states.set(task?.index ?? 0, params ?? 'null')
    }
    missing = missing.filter((index) => !states.has(index))
    before = await earlierOf(env, before.job)
  }
  if (missing.length > 0) throw new TerminalError(goneText(job.id, missing))
  return states
}

async function tasksOf({ store }: Pick<Env, 'store'>, job: string, indexes: readonly number[]) {
  const found = await store.find(indexes.map((index) => ({ id: taskUuid(job, index) })))
  return found.filter((task) => task !== null)
}

/** To plan anew instead would run far more than was asked for. */
function goneText(job: string, indexes: readonly number[]): string {
  const [first, ...others] = indexes
  const tasks = others.length === 0 ? `task ${first}` : `task ${first} and ${others.length} more`
  return `What ${tasks} of job ${job} began with was pruned, so only a retry without a selection is possible.`
}

/** The job that one is the retry of; null when it is none, or when that one was pruned. */
async function earlierOf({ store }: Pick<Env, 'store'>, { retryOf }: Job): Promise<StoredJob | null> {
  if (retryOf === null) return null
  const [earlier] = await store.find([{ id: retryOf.slice(retryOf.lastIndexOf(':') + 1) }])
  return earlier ?? null
}

/** How many jobs a process remembers the params of. */
const rememberedMax = 100

const remembered = new WeakMap<object, Map<string, Promise<string | null>>>()

/** The params of the job that a task belongs to. They never change once it has started, so they are read once. */
export async function paramsOfJob({ store }: Pick<Env, 'store'>, id: string): Promise<string | null> {
  const known = remembered.get(store) ?? new Map<string, Promise<string | null>>()
  remembered.set(store, known)
  const reading = known.get(id) ?? store.find([{ id }]).then(([stored]) => stored?.params ?? null)
  known.delete(id)
  known.set(id, reading)
  reading.catch(() => known.delete(id))
  const [oldest] = known.keys()
  if (known.size > rememberedMax && oldest !== undefined) known.delete(oldest)
  return await reading
}
