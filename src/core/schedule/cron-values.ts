import { invalidSchedule } from './invalid-schedule.ts'

/** What one field of a cron expression may hold. */
export interface FieldRule {
  readonly name: string
  readonly min: number
  readonly max: number
  /** The last value that `*` means; for days of the week 7 is only another name of 0. */
  readonly top: number
  /** Names of the values from `min` on. */
  readonly names: readonly string[]
}

/** The values of one item of a list: `5`, `1-5`, `*`, `0-30/10`, `5/15` (from 5 to the end), `MON-FRI`. */
export function valuesOf(item: string, rule: FieldRule): number[] {
  const [span, stepText] = cut(item, '/')
  const [from, to] = spanOf(span, stepText !== null, rule)
  const step = stepText === null ? 1 : stepOf(stepText, rule)
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step)
}

function spanOf(span: string, isOpen: boolean, rule: FieldRule): [number, number] {
  if (span === '*') return [rule.min, rule.top]
  const [first, last] = cut(span, '-')
  const from = numberOf(first, rule)
  if (last === null) return isOpen ? [from % (rule.top + 1), rule.top] : [from, from]
  const to = numberOf(last, rule)
  const [start, end] = rule.max === rule.top ? [from, to] : weekSpan(from, to)
  if (start > end) throw invalidSchedule(`cron.${rule.name}`, span, 'must not have a range that runs backwards')
  return [start, end]
}

/** Sunday begins a week as 0 and ends it as 7, so `SAT-SUN` and `7-2` mean what they say. */
function weekSpan(from: number, to: number): [number, number] {
  return [from === 7 && to !== 7 ? 0 : from, to === 0 && from > 0 && from < 7 ? 7 : to]
}

export function numberOf(text: string, rule: FieldRule): number {
  const named = rule.names.indexOf(text)
  if (named >= 0) return rule.min + named
  const value = /^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (value >= rule.min && value <= rule.max) return value
  const names = rule.names.length === 0 ? '' : ` or ${rule.names[0]} to ${rule.names.at(-1)}`
  throw invalidSchedule(`cron.${rule.name}`, text, `must be from ${rule.min} to ${rule.max}${names}`)
}

/** A step of more than the whole field, such as every 90 minutes, would silently mean something else. */
function stepOf(text: string, { name, min, top }: FieldRule): number {
  const size = top - min + 1
  const step = /^[0-9]{1,2}$/.test(text) ? Number(text) : 0
  if (step >= 1 && step <= size) return step
  throw invalidSchedule(`cron.${name}`, text, `must have a step from 1 to ${size}`)
}

/** What stands before and after the first of a separator; null after, if there is none. */
export function cut(text: string, separator: string): [string, string | null] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]
}

export function sorted(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b)
}
