import { StintError } from '../core/errors.ts'
import { fieldOf } from './check.ts'

/** Errors of names and ids know the text that is wrong, but not where it stood: that is looked for in what was sent. */
export function withField(error: unknown, sent: unknown): unknown {
  if (!(error instanceof StintError) || error.details['field'] !== undefined) return error
  const { input } = error.details
  const place = typeof input === 'string' ? placeOf(sent, input) : null
  if (place === null) return error
  return new StintError(error.code, error.message, { field: fieldOf(place), ...error.details })
}

/** So deep lie the fields of requests; what is deeper belongs to users. */
const depthMax = 5

/** The first place at which a text stands; null where there is none. */
function placeOf(sent: unknown, text: string, at: readonly PropertyKey[] = []): readonly PropertyKey[] | null {
  if (sent === text) return at
  if (typeof sent !== 'object' || sent === null || at.length >= depthMax) return null
  for (const [name, member] of Object.entries(sent)) {
    const place = placeOf(member, text, [...at, Array.isArray(sent) ? Number(name) : name])
    if (place !== null) return place
  }
  return null
}
