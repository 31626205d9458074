import { StintError, show } from '../core/errors.ts'
import type { RetryPolicy } from '../core/job/job.ts'
import { checkType } from '../store/submission.ts'
import type { JobContext, Later, Snooze } from './job-context.ts'
import type { InputOf, OutputOf, StandardSchema } from './standard-schema.ts'

/** What every job of a type has unless its submission says otherwise. */
export interface JobDefaults {
  readonly retry?: Partial<RetryPolicy>
  /** How long one attempt may take, in milliseconds. Default for ever. */
  readonly timeoutMs?: number
  /** Higher sooner. Default 0. */
  readonly priority?: number
}

/** A type of job: how its params are checked and what runs it. */
export interface JobDefinition<Input = never, Output = unknown, Result = unknown> extends JobDefaults {
  readonly type: string
  readonly params: StandardSchema<Input, Output> | null
  run(ctx: JobContext<Output>): unknown
  /** Only for the compiler: what `result()` of a handle gives. */
  readonly '~result'?: Result
}

// biome-ignore lint/suspicious/noExplicitAny: a list of definitions has as many types of params as members.
export type AnyJob = JobDefinition<any, any, unknown>

type ResultOf<Returned> = Exclude<Awaited<Returned>, Later | Snooze>

interface WithSchema<Schema extends StandardSchema, Returned> extends JobDefaults {
  /** Any Standard Schema. It checks the params when the job is submitted, and gives `ctx.params` when it runs. */
  readonly params: Schema
  readonly run: (ctx: JobContext<OutputOf<Schema>>) => Returned
}

interface WithoutSchema<Params, Returned> extends JobDefaults {
  readonly params?: undefined
  readonly run: (ctx: JobContext<Params>) => Returned
}

/** Defines a type of job. The definition is what workers run and what is submitted. */
export function defineJob<Schema extends StandardSchema, Returned>(
  type: string,
  definition: WithSchema<Schema, Returned>,
): JobDefinition<InputOf<Schema>, OutputOf<Schema>, ResultOf<Returned>>
export function defineJob<Params, Returned>(
  type: string,
  definition: WithoutSchema<Params, Returned>,
): JobDefinition<Params, Params, ResultOf<Returned>>
export function defineJob(
  type: string,
  definition: JobDefaults & { params?: StandardSchema | undefined; run: (ctx: JobContext<unknown>) => unknown },
): JobDefinition<unknown> {
  checkType(type)
  const { params = null, run, ...defaults } = definition
  if (typeof run !== 'function') throw refuse('run', run, 'must be a function')
  if (params !== null && typeof params['~standard']?.validate !== 'function') {
    throw refuse('params', params, 'must be a Standard Schema')
  }
  return Object.freeze({ ...defaults, type, params, run })
}

function refuse(field: string, value: unknown, rule: string): StintError {
  return new StintError('invalid_argument', `${field} ${rule}; got ${show(value)}.`, { field, rule })
}
