import { StintError } from '../../core/errors.ts'
import { step } from '../../core/job/decide.ts'
import type { JobSpec } from '../../core/job/job.ts'
import { type ShardedSpec, shardStep } from '../../core/shard/sharded.ts'
import { changeOf } from '../change.ts'
import { digestOf } from '../digest.ts'
import { positionOf } from '../event-data.ts'
import type { StoredJob } from '../store.ts'
import type { Change, Creation, Transaction } from '../transaction.ts'
import { taskTerms } from './new-tasks.ts'
import { type ShardedRow, type ShardRow, taskName } from './shards.ts'
import { taskUuid } from './task-id.ts'

/**
 * Lets sharded jobs go on: makes the first tasks of those that have a plan, counts tasks that are over, makes the next ones,
 * and when all are over, or too many have failed, tells their job. Jobs are held before the row that counts their tasks.
 */
export async function advanceShards(tx: Transaction, changes: readonly Change[], write: Write): Promise<void> {
  for (const { after, events } of changes) {
    if (!events.some(({ type }) => type === 'job.run.planned')) continue
    const row = await tx.shards.seal(after.guard.pk)
    if (row === null || row.total !== after.job.shards) throw notPlanned(after, row?.total ?? 0)
    await goOn(tx, after, row, null, write)
  }
  const ended = Map.groupBy(changes.filter(endsTask), ({ after }) => after.job.task?.of ?? '')
  if (ended.size === 0) return
  // Whoever cancels the job at this moment comes before, and no more tasks are made, or after, and finds those that are.
  await tx.lock([...ended.keys()])
  for (const parent of await tx.load([...ended.keys()])) {
    const tasks = ended.get(parent.job.id) ?? []
    const done = tasks.filter(({ after: { job } }) => job.outcome === 'COMPLETED' && !job.cancelled).length
    const row = await tx.shards.count(parent.guard.pk, { done, failed: tasks.length - done })
    if (row !== null) await goOn(tx, parent, row, failureOf(tasks), write)
  }
}

/** The same for tasks that were completed the short way, so many of each job by its UUID. */
export async function advanceCompleted(
  tx: Transaction,
  done: ReadonlyMap<string, number>,
  write: Write,
): Promise<void> {
  if (done.size === 0) return
  const ids = [...done.keys()]
  await tx.lock(ids)
  for (const parent of (await tx.loadSplit?.(ids)) ?? (await tx.load(ids))) {
    const row = await tx.shards.count(parent.guard.pk, { done: done.get(parent.job.id) ?? 0, failed: 0 })
    if (row !== null) await goOn(tx, parent, row, null, write)
  }
}

/** Nothing is written: a job that waited for tasks that nobody can make would wait for ever. */
function notPlanned({ job }: StoredJob, found: number): StintError {
  const rule = 'must be as many as were planned'
  const message = `ending.shards ${rule}; job ${job.id} says ${job.shards}, and there are ${found}.`
  return new StintError('invalid_argument', message, { field: 'ending.shards', rule })
}

/** Writes changes with all their effects, and tells which were written. */
type Write = (tx: Transaction, changes: readonly Change[]) => Promise<ReadonlySet<number>>

function endsTask({ before, after }: Change): boolean {
  return after.job.task !== null && after.job.state === 'final' && before.job.state !== 'final'
}

interface TaskFailure {
  readonly error: string
  readonly failsJob: boolean
}

/** What the job is told of tasks that have failed: of the one that says that all is lost, else of the first. */
function failureOf(tasks: readonly Change[]): TaskFailure | null {
  const failures = tasks.flatMap(({ after: { job }, events }): readonly TaskFailure[] => {
    if (job.outcome === 'COMPLETED') return []
    const failsJob = events.some((event) => event.type === 'job.run.failed' && event.data.failsJob === true)
    return [{ error: `Task ${job.task?.index} failed: ${job.error}`, failsJob }]
  })
  return failures.find(({ failsJob }) => failsJob) ?? failures[0] ?? null
}

async function goOn(
  tx: Transaction,
  parent: StoredJob,
  row: ShardedRow,
  failure: TaskFailure | null,
  write: Write,
): Promise<void> {
  // Of a job that was cancelled or has failed meanwhile no more tasks are made.
  if (parent.job.phase !== 'awaiting') return
  const spec: ShardedSpec = JSON.parse(row.spec)
  const next = shardStep(row, spec, failure?.failsJob === true)
  if (next.type === 'open') return await openTasks(tx, parent, { spec, total: row.total, count: next.count }, write)
  await tell(tx, parent, next.type === 'gather' ? null : (failure?.error ?? 'Too many of its tasks failed.'), write)
}

/** One that was changed at this moment is read and told again, if it still waits for its tasks. */
async function tell(tx: Transaction, parent: StoredJob, error: string | null, write: Write): Promise<void> {
  const command = { type: 'gather', error, children: error !== null } as const
  for (let open: readonly StoredJob[] = [parent]; open.length > 0; ) {
    const changes = open
      .map((stored) => changeOf(stored, step(stored.job, command, tx.now)))
      .filter(({ events }) => events.length > 0)
    const written = await write(tx, changes)
    const missed = changes.map(({ after }) => after.guard.pk).filter((pk) => !written.has(pk))
    open = missed.length === 0 ? [] : await tx.loadByKey(missed)
  }
}

interface Opening {
  readonly spec: ShardedSpec
  readonly total: number
  readonly count: number
}

/** How often a name may be taken by others at the very moment. */
const roundMax = 20

async function openTasks(
  tx: Transaction,
  parent: StoredJob,
  { spec, total, count }: Opening,
  write: Write,
): Promise<void> {
  let open = await withoutPlain(tx, parent, { spec, total, count })
  for (let round = 0; open.length > 0; round++) {
    if (round === roundMax) throw new StintError('conflict', `The names of tasks of ${parent.job.name} are never free.`)
    await freeNames(tx, parent, open, write)
    const pks = await tx.reserve(open.length)
    const made = await tx.insert(open.map((shard, i) => taskOf(tx.now, parent, spec, total, shard, pks[i] ?? 0)))
    open = open.filter((_, i) => !made.has(pks[i] ?? 0))
  }
}

/** Makes those of which nothing has to be looked at first, and gives the others: names may be taken. */
async function withoutPlain(
  tx: Transaction,
  parent: StoredJob,
  { spec, total, count }: Opening,
): Promise<readonly ShardRow[]> {
  if (count === 0) return []
  if (tx.openTasks === undefined || parent.job.deadlineAt !== null) return await tx.shards.open(parent.guard.pk, count)
  return await tx.openTasks(taskTerms(parent, spec, total), count)
}

/** Tasks of an earlier job of the same name may not have stopped yet. They are told to, and lose their names at once. */
async function freeNames(
  tx: Transaction,
  { job }: StoredJob,
  shards: readonly ShardRow[],
  write: Write,
): Promise<void> {
  const names = shards.map(({ idx }) => taskName(job.name, idx))
  const holders = await tx.holders({ ids: [], names, keys: [] })
  const command = { type: 'cancel', reason: `replaced by a task of ${job.id}` } as const
  await write(
    tx,
    holders.map((holder) => changeOf(holder, step(holder.job, command, tx.now), {}, true)),
  )
}

function taskOf(
  now: number,
  parent: StoredJob,
  { retry, slice, timeoutMs }: ShardedSpec,
  total: number,
  { idx, state }: ShardRow,
  pk: number,
): Creation {
  const { job, guard, trace } = parent
  const spec: JobSpec = {
    id: taskUuid(job.id, idx),
    name: taskName(job.name, idx),
    type: job.type,
    key: null,
    labels: {},
    templateId: null,
    scheduleId: null,
    groupId: null,
    retryOf: null,
    submittedBy: null,
    replaces: null,
    paramsDigest: digestOf(state),
    priority: job.priority,
    position: positionOf(pk),
    scheduledFor: now,
    expiresAt: null,
    retry,
    timeoutMs,
    deadlineAt: job.deadlineAt,
    awaits: null,
    onFailure: null,
    // Limits by key are held by the job as a whole.
    limits: [],
    task: { of: job.id, index: idx, total, slice },
    needs: null,
    rerun: null,
  }
  const made = step(null, { type: 'submit', spec, pending: false, skip: null }, now, {
    cause: `${job.id}.${job.version}`,
  })
  const after = {
    job: made.job,
    params: state,
    result: null,
    trace,
    guard: { ...guard, pk, revision: 1, released: false },
  }
  return { after, events: made.events, runs: [], waitsFor: [], parent: { pk: guard.pk, attempt: job.attempt } }
}
