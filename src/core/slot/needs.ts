import { type Json, toJsonText } from '../json.ts'

/** What a job waits for before it can run. */
export interface Needs {
  readonly list: readonly Need[]
  /** What happens when one of them will never have a value: the job is skipped, or runs and is told. */
  readonly onFailure: 'skip' | 'run'
}

/** A value to come: the output of a job, or a slot that somebody fills. */
export interface Need {
  /** UUID of the job or the slot. */
  readonly of: string
  /** Where in the params its value goes, as a JSON pointer; null when only its coming is waited for. */
  readonly at: string | null
}

/** A need that got no value. */
export interface UpstreamFailure {
  readonly of: string
  /** Name of the job, or path of the slot. */
  readonly name: string
  readonly at: string | null
  readonly error: string
}

/** Whether a job still waits for slots: until they stand in its params, it cannot run. */
export function isUnresolved<T extends { readonly needs: Needs | null; readonly upstream: unknown }>(
  job: T,
): job is T & { readonly needs: Needs } {
  return job.needs !== null && job.upstream === null
}

/** A value that stands at a place in the params. Both are JSON text or null for none. */
export interface Placed {
  readonly at: string
  readonly value: string | null
}

/** Params with values in the places that were kept for them. Throws when they become too large or too deep. */
export function withValues(params: string | null, values: readonly Placed[]): string | null {
  if (values.length === 0) return params
  const root: { params: unknown } = { params: params === null ? null : JSON.parse(params) }
  for (const { at, value } of values) place(root, at, value === null ? null : (JSON.parse(value) as Json))
  return toJsonText(root.params, 'params')
}

/** A place that is not there was edited away, and so was the wish for the value. */
function place(root: { params: unknown }, at: string, value: Json): void {
  let holder: unknown = root
  let member = 'params'
  for (const next of at.split('/').slice(1).map(unescaped)) {
    holder = isHolder(holder) ? holder[member] : undefined
    member = next
  }
  if (isHolder(holder) && Object.hasOwn(holder, member)) holder[member] = value
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Part of a JSON pointer (RFC 6901). */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** What has to be known of something that others need, among those that are made together. */
export interface Needing {
  readonly id: string
  readonly needs: readonly string[]
}

/**
 * Puts those that others need before them, and otherwise keeps the order. What stands in a circle, or needs what does, can
 * never be.
 */
export function inOrderOfNeed<T extends Needing>(
  items: readonly T[],
): { ordered: readonly T[]; circular: readonly T[] } {
  const left = new Map(items.map((item) => [item.id, item]))
  const ordered: T[] = []
  for (let before = -1; before < ordered.length; ) {
    before = ordered.length
    for (const item of left.values()) {
      if (item.needs.some((id) => left.has(id))) continue
      left.delete(item.id)
      ordered.push(item)
    }
  }
  return { ordered, circular: [...left.values()] }
}
