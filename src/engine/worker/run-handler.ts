import { StintError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import type { AnyJob, JobContext } from '../handler.ts'
import { runInContext } from '../job-context.ts'
import { TerminalError } from '../later.ts'
import { validate } from '../standard-schema.ts'
import { type Parts, RunContext, type Surroundings } from './make-context.ts'
import { type Moment, type Outcome, outcomeOfReturn, outcomeOfThrow } from './outcome.ts'

/** What runs an attempt: the handler of its definition, or a part of it, and params as JSON text. */
export interface Runnable {
  readonly definition: AnyJob
  readonly params: string | null
  readonly run: (context: JobContext) => unknown
}

/** Runs a handler to its end. Never rejects: whatever a handler does, its attempt has an outcome. */
export async function runHandler(
  { definition, params, run }: Runnable,
  surroundings: Surroundings,
  parts: Parts,
  moment: () => Moment,
): Promise<Outcome> {
  try {
    const value: Json | undefined = params === null ? undefined : JSON.parse(params)
    const checked = definition.params === null ? value : await checkedParams(definition, value)
    const context: JobContext = new RunContext(surroundings, parts, checked)
    const returned = await runInContext(context, run)
    return outcomeOfReturn(returned, moment())
  } catch (thrown) {
    return outcomeOfThrow(thrown, moment())
  }
}

/** Params were checked when the job was submitted, but maybe by another version of the program: they are checked again. */
async function checkedParams({ params: schema, type }: AnyJob, value: Json | undefined): Promise<unknown> {
  if (schema === null) return value
  const checked = await validate(schema, value)
  if ('value' in checked) return checked.value
  throw new TerminalError(invalidParams(type, checked.problems).message)
}

export function invalidParams(type: string, problems: string): StintError {
  const message = `The params do not fit the schema of ${type}: ${problems}.`
  return new StintError('invalid_params', message, { type, field: 'params', rule: problems })
}
