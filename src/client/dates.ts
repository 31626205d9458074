/** Fields of users' own: what stands there is theirs, also if it looks like an instant. */
const foreign = new Set([
  ...['params', 'result', 'value', 'state', 'attributes', 'labels', 'checkpoint', 'overrides', 'schema', 'settings'],
])

const instants = new Set(['at', 'now', 'since', 'scheduledFor', 'leaseUntil', 'rotatingUntil'])

const isoInstant = /^\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** What the server sent, with dates where the library has dates: fields whose names say that they are instants. */
export function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, dated(name, member)]))
}

function dated(name: string, member: unknown): unknown {
  if (foreign.has(name)) return member
  const isInstant = (instants.has(name) || name.endsWith('At')) && typeof member === 'string'
  return isInstant && isoInstant.test(member) ? new Date(member) : withDates(member)
}
