import { expect } from 'vitest'
import { type ErrorCode, StintError, show } from '../../../src/core/errors.ts'

/** What a caller in JavaScript, or a body of JSON, may give where a string belongs. */
export const notStrings: readonly unknown[] = [undefined, null, 0, 7, Number.NaN, true, 1n, Symbol('s'), {}, [], ['/a']]

/** Numbers that no task index and no attempt can be, and things that are no numbers. */
export const notDecimals: readonly unknown[] = [
  ...[-1, 0.5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53)],
  ...['0', '', null, undefined, 1n, {}, []],
]

/** Hands a value to a typed parameter that it does not fit, as JavaScript would. */
export function untyped(value: unknown): never {
  return value as never
}

/** Runs what must be refused, and holds that the error names the input and the rule. */
export function expectRefusal(code: ErrorCode, act: () => unknown, input: unknown, rule: RegExp): void {
  const error = thrownBy(act)
  expect(error).toBeInstanceOf(StintError)
  if (!(error instanceof StintError)) return
  expect(error.code).toBe(code)
  expect(error.message).toContain(show(input))
  const { rule: said, ...rest } = error.details
  expect(error.message).toContain(said)
  expect(said).toMatch(rule)
  expect(rest).toEqual(isEchoed(input) ? { input } : {})
}

/** Details hold plain and bounded values only. */
function isEchoed(input: unknown): boolean {
  return typeof input === 'number' || (typeof input === 'string' && input.length <= 1000)
}

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  return undefined
}
