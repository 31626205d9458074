import { StintError, show } from '../core/errors.ts'
import { checkType } from '../store/check-input.ts'
import type { JobContext, JobDefaults, JobDefinition } from './handler.ts'
import type { Later, Snooze } from './later.ts'
import type { ValueOf } from './slots/slot.ts'
import type { InputOf, OutputOf, StandardSchema } from './standard-schema.ts'

type ResultOf<Returned> = ValueOf<Exclude<Awaited<Returned>, Later | Snooze>>

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
