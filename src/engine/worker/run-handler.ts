import { StintError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import type { AnyJob, JobContext } from '../handler.ts'
import { runInContext } from '../job-context.ts'
import { TerminalError } from '../later.ts'
import { validate } from '../standard-schema.ts'
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
  contextOf: (params: unknown) => JobContext,
  moment: () => Moment,
): Promise<Outcome> {
  try {
    const context = contextOf(await checkedParams(definition, params === null ? undefined : JSON.parse(params)))
    const returned = await runInContext(context, () => run(context))
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
