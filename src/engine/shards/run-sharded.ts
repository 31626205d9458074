import { StintError, show } from '../../core/errors.ts'
import { toJsonText } from '../../core/json.ts'
import { shardMax } from '../../core/shard/sharded.ts'
import type { StoredJob } from '../../store/store.ts'
import type { Env } from '../env.ts'
import type { JobContext } from '../handler.ts'
import { Later, Snooze, TerminalError } from '../later.ts'
import type { Attempt } from '../worker/attempt.ts'
import { WithFacts } from '../worker/outcome.ts'
import type { Budget, Sharded, SliceResult } from './define-sharded-job.ts'
import { Planned, Sliced } from './ends.ts'
import { adoptedPlan, shardEnds, writePlan } from './plans.ts'

/** What runs an attempt at a sharded job: its plan, one slice of a task, or what makes its result. */
export function shardedRun(env: Env, sharded: Sharded, attempt: Attempt): (ctx: JobContext<unknown>) => unknown {
  const { stored } = attempt
  if (stored.job.task !== null) return (ctx) => runSlice(env, sharded, stored, ctx)
  if (stored.job.shards !== null) return (ctx) => reduceTasks(env, sharded, stored, ctx)
  return (ctx) => planTasks(env, sharded, attempt, ctx)
}

async function runSlice(env: Env, sharded: Sharded, stored: StoredJob, ctx: JobContext<unknown>): Promise<unknown> {
  const { task, slices } = stored.job
  const seq = (slices?.seq ?? 0) + 1
  const given = {
    params: ctx.params,
    state: JSON.parse(stored.result ?? stored.params ?? 'null'),
    slice: budgetOf(env, sharded, seq, ctx),
    index: task?.index ?? 0,
    total: task?.total ?? 0,
    signal: ctx.signal,
    ctx,
  }
  const returned: unknown = await sharded.slice(given)
  // A snooze repeats the slice later. To wait for others is refused by the rules.
  if (returned instanceof Snooze || returned instanceof Later) return returned
  const facts = returned instanceof WithFacts ? returned.facts : {}
  const { state, done, progress } = checkedResult(returned instanceof WithFacts ? returned.value : returned)
  return new Sliced(seq, stateText(state), done, progress ?? null, facts)
}

function budgetOf({ clock }: Env, { sliceMs, sliceItems }: Sharded, seq: number, ctx: JobContext<unknown>): Budget {
  const until = clock.monotonic() + sliceMs
  let asked = 0
  return {
    seq,
    hasBudget() {
      asked += 1
      if (ctx.signal.aborted) return false
      return asked === 1 || (asked <= sliceItems && clock.monotonic() < until)
    },
  }
}

function checkedResult(returned: unknown): SliceResult<unknown> {
  const result = returned as Partial<SliceResult<unknown>> | null | undefined
  if (typeof result === 'object' && result !== null && result.state !== undefined && typeof result.done === 'boolean') {
    return result as SliceResult<unknown>
  }
  throw new TerminalError(`slice must return { state, done }; got ${show(returned)}.`)
}

/** A state that is no JSON will not be one the next time. */
function stateText(state: unknown): string {
  try {
    return toJsonText(state, 'state') ?? 'null'
  } catch (error) {
    throw new TerminalError(error instanceof Error ? error.message : String(error))
  }
}

async function planTasks(env: Env, sharded: Sharded, attempt: Attempt, ctx: JobContext<unknown>): Promise<unknown> {
  const plan = (await adoptedPlan(env, attempt.stored)) ?? { shards: await planned(sharded, ctx), adopted: [] }
  const total = plan.shards.length + plan.adopted.length
  if (total === 0) return await sharded.reduce?.([], { failed: [], ctx })
  const { width, sliceRetry: slice, tolerate } = sharded
  const { retry, timeoutMs } = attempt.stored.job
  const allowed = tolerate < 1 ? Math.floor(tolerate * total) : Math.floor(tolerate)
  await writePlan(env, attempt, plan, { width, tolerate: allowed, retry, slice, timeoutMs })
  return new Planned(total)
}

async function planned(sharded: Sharded, ctx: JobContext<unknown>): Promise<readonly { idx: number; state: string }[]> {
  const shards: { idx: number; state: string }[] = []
  const states: unknown = await sharded.plan(ctx)
  if (states === undefined || states === null) return shards
  for (const state of iterable(states)) {
    if (shards.length < shardMax) shards.push({ idx: shards.length, state: stateText(state) })
    else throw tooMany(states)
  }
  return shards
}

function iterable(states: unknown): Iterable<unknown> {
  if (typeof states === 'object' && states !== null && Symbol.iterator in states) return states as Iterable<unknown>
  throw new TerminalError(`plan must return the initial states of all tasks; got ${show(states)}.`)
}

function tooMany(states: unknown): TerminalError {
  const count = Array.isArray(states) ? states.length : `more than ${shardMax}`
  const rule = `at most ${shardMax} shards`
  const { message } = new StintError('invalid_argument', `plan may return ${rule}; got ${count}.`, {
    field: 'plan',
    rule,
  })
  return new TerminalError(message)
}

async function reduceTasks(env: Env, sharded: Sharded, stored: StoredJob, ctx: JobContext<unknown>): Promise<unknown> {
  if (sharded.reduce === undefined) return null
  const tasks = await shardEnds(env, stored)
  const done = tasks.flatMap(({ index, state, isDone }) => {
    return isDone ? [{ index, state: JSON.parse(state) as unknown }] : []
  })
  const failed = tasks.flatMap(({ index, error, isDone }) => (isDone ? [] : [{ index, error }]))
  return await sharded.reduce(done, { failed, ctx })
}
