import { StintError, show } from '../errors.ts'

/** The longest name that can be submitted has this many bytes, so an input of more characters is not worth echoing. */
const echoedMax = 1000

/** The one shape of refusal for names and ids: what it should have been, the input, and the rule that it breaks. */
export function invalid(code: 'invalid_name' | 'invalid_id', kind: string, input: unknown, rule: string): StintError {
  const message = `Invalid ${kind} ${show(input)}: ${rule}`
  return new StintError(code, message, isEchoed(input) ? { input, rule } : { rule })
}

/** Details go over a wire, so they hold plain and bounded values only; the message shows all others. */
function isEchoed(input: unknown): input is string | number {
  return typeof input === 'number' || (typeof input === 'string' && input.length <= echoedMax)
}
