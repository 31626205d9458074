import { describe, expect, it } from 'vitest'
import { errorAdvice } from '../../src/core/error-advice.ts'
import { type ErrorCode, errorCodes, StintError, show } from '../../src/core/errors.ts'

describe('StintError', () => {
  it('carries its code, a message and details', () => {
    const error = new StintError('not_found', 'There is no job x.', { jobId: 'x' })
    expect(error).toBeInstanceOf(Error)
    expect([error.name, error.code, error.message]).toEqual(['StintError', 'not_found', 'There is no job x.'])
    expect(error.details).toEqual({ jobId: 'x' })
    expect(String(error)).toBe('StintError: There is no job x.')
  })

  it('has no details unless they are given', () => {
    expect(new StintError('conflict', 'Busy.').details).toEqual({})
  })

  it.each(Object.keys(errorCodes) as ErrorCode[])('%s has the status and the advice of the table', (code) => {
    const error = new StintError(code, 'x')
    expect([error.status, error.retryable]).toEqual([errorCodes[code].status, errorCodes[code].retryable])
    expect(error.status).toBeGreaterThanOrEqual(400)
    expect(error.status).toBeLessThan(600)
  })

  it.each(Object.keys(errorCodes) as ErrorCode[])('%s says what to do about it, in sentences', (code) => {
    expect(errorAdvice[code]).toMatch(/^[A-Z`].{20,}\.$/)
  })

  it('there is advice for nothing else', () => {
    expect(Object.keys(errorAdvice)).toEqual(Object.keys(errorCodes))
  })

  it('is worth a retry only where nothing but time stands in the way', () => {
    const retryable = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => errorCodes[code].retryable)
    expect(retryable).toEqual([
      ...['idempotency_in_progress', 'too_many_requests', 'wait_timeout', 'conflict', 'store_busy', 'unreachable'],
    ])
  })
})

describe('show', () => {
  it.each([
    ['', '""'],
    ['a "b"', '"a \\"b\\""'],
    ['line\nNUL\0', '"line\\nNUL\\u0000"'],
    ['\ud800', '"\\ud800"'],
    [null, 'null'],
    [undefined, 'undefined'],
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    [true, 'true'],
    [12n, '12'],
    [Symbol('s'), 'Symbol(s)'],
    [() => 1, 'a function'],
    [{}, 'an object'],
    [new Map(), 'an object'],
    [[1], 'an array'],
  ])('%o as %s', (input, shown) => {
    expect(show(input)).toBe(shown)
  })

  it('shows 80 characters at most of a text, and how long it was', () => {
    expect(show('x'.repeat(78))).toBe(`"${'x'.repeat(78)}"`)
    expect(show('x'.repeat(79))).toBe(`"${'x'.repeat(79)}…" (79 characters)`)
    expect(show('x'.repeat(100_000))).toBe(`"${'x'.repeat(79)}…" (100000 characters)`)
  })
})
