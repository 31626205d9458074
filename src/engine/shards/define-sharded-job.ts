import { StintError, show } from '../../core/errors.ts'
import { defaultSlicePolicy, type Progress, type SlicePolicy } from '../../core/job/job.ts'
import { defineJob } from '../define-job.ts'
import type { AnyJob, JobContext, JobDefaults, JobDefinition } from '../handler.ts'
import type { InputOf, OutputOf, StandardSchema } from '../standard-schema.ts'

/** How much one slice may do before it gives back its state. */
export interface Budget {
  /** Which slice of the task it is, from 1 on. */
  readonly seq: number
  /** Whether there is time and items left. The first time it is asked there is, so that every slice gets on. */
  hasBudget(): boolean
}

/** What `slice` gets. */
export interface SliceInput<Params, TaskState> {
  readonly params: Params
  /** What the slice before gave back, or what `plan` made for this task. */
  readonly state: TaskState
  readonly slice: Budget
  /** Which task it is, from 0 on. */
  readonly index: number
  readonly total: number
  readonly signal: AbortSignal
  /** The rest of what every handler gets. */
  readonly ctx: JobContext<Params>
}

export interface SliceResult<TaskState> {
  /** Saved before the next slice begins. */
  readonly state: TaskState
  /** The task is over, and this is its last state. */
  readonly done: boolean
  /** How much of the task is done, and of how much. */
  readonly progress?: Progress
}

/** A task that is done, as `reduce` gets it. */
export interface DoneTask<TaskState> {
  readonly index: number
  readonly state: TaskState
}

/** A task that has failed, where the job tolerates it. */
export interface FailedTask {
  readonly index: number
  readonly error: string | null
}

interface Parts<Params, TaskState, Result> {
  /** Splits the work: the initial state of every task. Nothing to do is done at once. */
  readonly plan: (ctx: JobContext<Params>) => Iterable<TaskState> | Promise<Iterable<TaskState>>
  /** Does some of a task, until its budget is used up. Called again until it says that the task is done. */
  readonly slice: (input: SliceInput<Params, TaskState>) => SliceResult<TaskState> | Promise<SliceResult<TaskState>>
  /** Makes the job's result of the states of all tasks that are done. Default: null. */
  readonly reduce?: (
    tasks: readonly DoneTask<TaskState>[],
    rest: { readonly failed: readonly FailedTask[]; readonly ctx: JobContext<Params> },
  ) => Result
}

export interface ShardedSettings {
  /** How long a slice works, in milliseconds. Default 1,000. */
  readonly sliceMs?: number
  /** How often a slice may ask for its budget. Default as often as it likes. */
  readonly sliceItems?: number
  /** How many tasks are open at once. Default 64. */
  readonly width?: number
  /** How many tasks may fail before the job has, or which share of them: a number below 1. Default none. */
  readonly tolerate?: number
  /** When a slice that failed is tried again, and how often. */
  readonly sliceRetry?: Partial<SlicePolicy>
}

type AnyParts = Parts<unknown, unknown, unknown>

/** How a sharded job is split and put together. */
export interface Sharded extends AnyParts {
  readonly sliceMs: number
  readonly sliceItems: number
  readonly width: number
  readonly tolerate: number
  readonly sliceRetry: SlicePolicy
}

/** How the jobs of a type are split and put together; null for a type whose jobs are not. */
export function shardedOf(definition: AnyJob): Sharded | null {
  return 'sharded' in definition ? (definition.sharded as Sharded) : null
}

interface WithSchema<Schema extends StandardSchema, TaskState, Result>
  extends JobDefaults,
    ShardedSettings,
    Parts<OutputOf<Schema>, TaskState, Result> {
  readonly params: Schema
}

interface WithoutSchema<Params, TaskState, Result>
  extends JobDefaults,
    ShardedSettings,
    Parts<Params, TaskState, Result> {
  readonly params?: undefined
}

/**
 * Defines a type of job that is split into tasks, which all workers work on, each in slices: what a slice gives back is
 * saved, and the next goes on from there, maybe elsewhere. `retry` covers `plan` and `reduce`, and how often a task begins
 * anew; `timeoutMs` is the time of one slice.
 */
export function defineShardedJob<Schema extends StandardSchema, TaskState, Result>(
  type: string,
  definition: WithSchema<Schema, TaskState, Result>,
): JobDefinition<InputOf<Schema>, OutputOf<Schema>, Awaited<Result>>
export function defineShardedJob<TaskState, Result, Params = unknown>(
  type: string,
  definition: WithoutSchema<Params, TaskState, Result>,
): JobDefinition<Params, Params, Awaited<Result>>
export function defineShardedJob(
  type: string,
  given: JobDefaults & ShardedSettings & Record<'plan' | 'slice', unknown> & { params?: unknown; reduce?: unknown },
): JobDefinition<unknown> {
  const { plan, slice, reduce, sliceMs = 1_000, sliceItems = Number.POSITIVE_INFINITY, ...others } = given
  const { width = 64, tolerate = 0, sliceRetry = {}, ...job } = others
  for (const [name, value] of Object.entries({ plan, slice, ...(reduce === undefined ? {} : { reduce }) })) {
    if (typeof value !== 'function') throw refuse(name, value, 'must be a function')
  }
  requireAtLeast('sliceMs', sliceMs, 0)
  requireAtLeast('sliceItems', sliceItems, 1)
  if (!Number.isInteger(width) || width < 1) throw refuse('width', width, 'must be a whole number from 1 on')
  requireAtLeast('tolerate', tolerate, 0)
  const parts = { plan, slice, ...(reduce === undefined ? {} : { reduce }) } as unknown as AnyParts
  const policy = { ...defaultSlicePolicy, ...sliceRetry }
  const sharded: Sharded = { ...parts, sliceMs, sliceItems, width, tolerate, sliceRetry: policy }
  const defined = defineJob(type, { ...job, run: notRun } as Parameters<typeof defineJob>[1])
  const split: JobDefinition<unknown> & { readonly sharded: Sharded } = { ...defined, sharded }
  return Object.freeze(split)
}

/** Workers see that a job is sharded, and run its parts. */
function notRun(): never {
  throw new StintError('internal_error', 'A sharded job was run as if it were not.')
}

function requireAtLeast(field: string, value: unknown, min: number): void {
  if (typeof value !== 'number' || !(value >= min)) throw refuse(field, value, `must be a number from ${min} on`)
}

function refuse(field: string, value: unknown, rule: string): StintError {
  return new StintError('invalid_argument', `${field} ${rule}; got ${show(value)}.`, { field, rule })
}
