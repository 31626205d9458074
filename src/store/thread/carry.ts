/**
 * Arguments on their way to another thread. Plain data travels as it is. Callers in JavaScript give anything, though: what
 * cannot travel, or would arrive as something else, is carried as a Map that tells what it was, so that the store refuses
 * it with the same words as if it were called directly. Nothing else that arrives is a Map.
 */

/** More than any call that a store accepts is nested; deeper is refused there, whatever stands below. */
const depthMax = 256

/** A small graph can unfold into an endless tree. Beyond so many values it is copied, each object once. */
const valuesMax = 500_000

export function isPlain(value: unknown, budget = { left: valuesMax }, depth = 0): boolean {
  budget.left -= 1
  if (typeof value === 'function' || typeof value === 'symbol' || budget.left < 0 || depth > depthMax) return false
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every((item) => isPlain(item, budget, depth + 1))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  const members = value as Readonly<Record<string, unknown>>
  for (const name in members) if (!isPlain(members[name], budget, depth + 1)) return false
  return true
}

type Kind = 'function' | 'symbol' | 'json' | 'instance'

/** A copy of anything that can travel. Objects that stand in two places, or within themselves, still do. */
export function carry(value: unknown, copies = new Map<object, unknown>(), depth = 0): unknown {
  if (typeof value === 'function') return marked('function', null)
  if (typeof value === 'symbol') return marked('symbol', value.description)
  if (typeof value !== 'object' || value === null) return value
  if (copies.has(value)) return copies.get(value)
  if (depth > depthMax) return null
  const deeper = (member: unknown) => carry(member, copies, depth + 1)
  if (Array.isArray(value)) {
    const copy: unknown[] = []
    copies.set(value, copy)
    for (const item of value) copy.push(deeper(item))
    return copy
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return marked('json', deeper(value.toJSON()))
  const copy: Record<string, unknown> = Object.create(null)
  const prototype = Object.getPrototypeOf(value)
  const isInstance = prototype !== null && Object.getPrototypeOf(prototype) !== null
  copies.set(value, isInstance ? marked('instance', copy) : copy)
  for (const name in value) define(copy, name, deeper((value as Record<string, unknown>)[name]))
  return copies.get(value)
}

function marked(kind: Kind, value: unknown): ReadonlyMap<string, unknown> {
  return new Map([
    ['kind', kind],
    ['value', value],
  ] as [string, unknown][])
}

/** An assignment to `__proto__` would change what the object is. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}

/** What was carried, as it was before as far as a store can tell. */
export function revive(value: unknown, seen = new Map<object, unknown>()): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (seen.has(value)) return seen.get(value)
  if (value instanceof Map) return reviveMarked(value, seen)
  seen.set(value, value)
  const members = value as Record<string, unknown>
  for (const name of Object.keys(members)) define(members, name, revive(members[name], seen))
  return value
}

/** An object of a class, which is how JSON tells it from plain ones. */
class Instance {}

function reviveMarked(marked: ReadonlyMap<string, unknown>, seen: Map<object, unknown>): unknown {
  const kind = marked.get('kind') as Kind
  const value = marked.get('value')
  if (kind === 'function') return () => undefined
  if (kind === 'symbol') return Symbol(value as string | undefined)
  const revived = kind === 'json' ? { toJSON: () => revive(value, seen) } : new Instance()
  seen.set(marked, revived)
  if (kind === 'instance') Object.assign(revived, revive(value, seen))
  return revived
}
