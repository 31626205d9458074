import { StintError, show } from '../../core/errors.ts'
import { escaped, type Need, type Needs } from '../../core/slot/needs.ts'
import { Slot } from './slot.ts'

/** What a job waits for without getting its value: a slot, or a job by its handle. */
export type After = Slot<unknown> | { readonly output: Slot<unknown> }

export interface NeedOptions {
  /** Slots and jobs that must have their values before it runs. */
  readonly after?: readonly After[] | undefined
  /** What happens when a slot that it needs will never have a value. Default `skip`. */
  readonly onUpstreamFailure?: 'skip' | 'run' | undefined
}

/** Params without the slots in them, and what is needed to put their values there. */
export function takeSlots(
  params: unknown,
  { after = [], onUpstreamFailure = 'skip' }: NeedOptions,
): { readonly params: unknown; readonly needs: Needs | null } {
  const list: Need[] = []
  const plain = without(params, '', list, 0)
  for (const each of after) list.push({ of: slotOf(each).uuid, at: null })
  return { params: plain, needs: list.length === 0 ? null : { list, onFailure: onUpstreamFailure } }
}

function slotOf(after: After): Slot<unknown> {
  const slot = after instanceof Slot ? after : after?.output
  if (slot instanceof Slot) return slot
  const rule = 'must hold slots, or handles of jobs'
  throw new StintError('invalid_argument', `after ${rule}; got ${show(after)}.`, { field: 'after', rule })
}

/** Deeper than params may be; what is there is refused anyway. */
const depthMax = 101

/** Only what holds slots is copied: the rest is as the caller gave it, and checked later. */
function without(value: unknown, at: string, list: Need[], depth: number): unknown {
  if (value instanceof Slot) {
    list.push({ of: value.uuid, at })
    return null
  }
  if (!holdsSlots(value, depth)) return value
  const entries = Object.entries(value as object).map(([name, member]) => {
    return [name, without(member, `${at}/${escaped(name)}`, list, depth + 1)] as const
  })
  return Array.isArray(value) ? entries.map(([, member]) => member) : Object.fromEntries(entries)
}

function holdsSlots(value: unknown, depth: number): boolean {
  if (value instanceof Slot) return true
  if (depth > depthMax || !isPlain(value)) return false
  for (const name of Object.keys(value)) {
    if (holdsSlots((value as Record<string, unknown>)[name], depth + 1)) return true
  }
  return false
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
