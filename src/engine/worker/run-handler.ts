import { StintError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import type { AnyJob, JobContext } from '../handler.ts'
import { runInContext } from '../job-context.ts'
import { validate } from '../standard-schema.ts'
import { type Moment, type Outcome, outcomeOfReturn, outcomeOfThrow } from './outcome.ts'

/** Runs a handler to its end. Never rejects: whatever a handler does, its attempt has an outcome. */
export async function runHandler(
  definition: AnyJob,
  params: string | null,
  contextOf: (params: unknown) => JobContext,
  moment: () => Moment,
): Promise<Outcome> {
  try {
    const context = contextOf(await checkedParams(definition, params === null ? undefined : JSON.parse(params)))
    const returned = await runInContext(context, () => definition.run(context))
    return outcomeOfReturn(returned, moment())
  } catch (thrown) {
    if (thrown instanceof BadParams) return terminal(thrown, moment())
    return outcomeOfThrow(thrown, moment())
  }
}

class BadParams extends StintError {}

function terminal(error: Error, moment: Moment): Outcome {
  const { random } = moment
  return { ending: { kind: 'failed', error: error.message, terminal: true, random }, result: null }
}

/** Params were checked when the job was submitted, but maybe by another version of the program: they are checked again. */
async function checkedParams({ params: schema, type }: AnyJob, value: Json | undefined): Promise<unknown> {
  if (schema === null) return value
  const checked = await validate(schema, value)
  if ('value' in checked) return checked.value
  throw invalidParams(type, checked.problems, BadParams)
}

export function invalidParams(
  type: string,
  problems: string,
  Kind: new (...args: ConstructorParameters<typeof StintError>) => StintError = StintError,
): StintError {
  const message = `The params do not fit the schema of ${type}: ${problems}.`
  return new Kind('invalid_params', message, { type, field: 'params', rule: problems })
}
