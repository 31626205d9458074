import type { ShardedSpec } from '../../core/shard/sharded.ts'
import { shardPage } from '../../store/control/shards.ts'
import type { ShardRow } from '../../store/shards/shards.ts'
import { taskUuid } from '../../store/shards/task-id.ts'
import type { StoredJob } from '../../store/store.ts'
import type { Env } from '../env.ts'
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
  await store.control('shard.plan', { job, token, spec, shards: [] })
  for (const shards of pages(plan.shards)) await store.control('shard.plan', { job, token, shards })
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

/**
 * The plan of a job that is the retry of a sharded one of which not all shards were done: those that were keep their states,
 * the others begin anew. Null when there is nothing to take over.
 */
export async function adoptedPlan(env: Pick<Env, 'store'>, { job }: StoredJob): Promise<Plan | null> {
  if (job.retryOf === null) return null
  const [earlier] = await env.store.find([{ id: job.retryOf.slice(job.retryOf.lastIndexOf(':') + 1) }])
  if (earlier === undefined || earlier === null || earlier.job.shards === null) return null
  const shards = await allTasks(env, earlier)
  const done = shards.filter(({ isDone }) => isDone)
  if (done.length === shards.length) return null
  const initial = ({ index, task, state }: ShardState): ShardRow => ({ idx: index, state: task?.params ?? state })
  return {
    shards: shards.filter(({ isDone }) => !isDone).map(initial),
    adopted: done.map(({ index, state }) => ({ idx: index, state })),
  }
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
