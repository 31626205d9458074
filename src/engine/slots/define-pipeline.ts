import { StintError, show } from '../../core/errors.ts'
import { defineJob } from '../define-job.ts'
import type { AnyJob, JobDefaults, JobDefinition } from '../handler.ts'
import type { InputOf, OutputOf, StandardSchema } from '../standard-schema.ts'
import type { PipelineBuilder } from './pipeline-builder.ts'
import type { ValueOf } from './slot.ts'

/** Says which jobs a pipeline consists of and how values go from one to the other. What it returns is the pipeline's result. */
export type Build<Params, Returned> = (p: PipelineBuilder, params: Params) => Returned

interface WithSchema<Schema extends StandardSchema, Returned> extends JobDefaults {
  readonly params: Schema
  readonly build: Build<OutputOf<Schema>, Returned>
}

interface WithoutSchema<Params, Returned> extends JobDefaults {
  readonly params?: undefined
  readonly build: Build<Params, Returned>
}

/** The function that builds the pipelines of a type; null for a type of other jobs. */
export function pipelineOf(definition: AnyJob): Build<unknown, unknown> | null {
  return 'build' in definition ? (definition.build as Build<unknown, unknown>) : null
}

/**
 * Defines a type of job that consists of others. Its jobs, and the slots between them, are made together when a worker runs it;
 * then it waits for the slot that it returned, without a worker.
 */
export function definePipeline<Schema extends StandardSchema, Returned>(
  type: string,
  definition: WithSchema<Schema, Returned>,
): JobDefinition<InputOf<Schema>, OutputOf<Schema>, ValueOf<Awaited<Returned>>>
export function definePipeline<Returned, Params = unknown>(
  type: string,
  definition: WithoutSchema<Params, Returned> | Build<Params, Returned>,
): JobDefinition<Params, Params, ValueOf<Awaited<Returned>>>
export function definePipeline(
  type: string,
  definition: Build<never, unknown> | (JobDefaults & { readonly build: unknown; readonly params?: unknown }),
): JobDefinition<unknown> {
  const { build, ...job } = typeof definition === 'function' ? { build: definition } : definition
  if (typeof build !== 'function') {
    const rule = 'must be a function'
    throw new StintError('invalid_argument', `build ${rule}; got ${show(build)}.`, { field: 'build', rule })
  }
  const defined = defineJob(type, { ...job, run: notRun } as Parameters<typeof defineJob>[1])
  return Object.freeze({ ...defined, build })
}

/** Workers see that a job is a pipeline, and build it. */
function notRun(): never {
  throw new StintError('internal_error', 'A pipeline was run as if it were a handler.')
}
