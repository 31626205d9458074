import { describe, expect, it } from 'vitest'
import { isPath, parseRate, roomOf } from '../../../src/core/gates/limit.ts'

describe('a rate', () => {
  it.each([
    ['100/min', 100, 60_000],
    ['5/s', 5, 1_000],
    ['3/10s', 3, 10_000],
    ['1000/day', 1_000, 86_400_000],
    ['7/2hour', 7, 7_200_000],
    ['1/250ms', 1, 250],
  ])('is read from %s', (text, count, perMs) => {
    expect(parseRate(text)).toEqual({ count, perMs })
  })

  it.each([
    ...[
      '',
      '100',
      '/min',
      '0/min',
      '-1/min',
      '1.5/s',
      '10/fortnight',
      '10/0s',
      ' 10/s',
      '10/s ',
      '10/ s',
      '1/constructor',
    ],
    ...([null, 5, {}] as unknown as string[]),
  ])('is not read from %j', (text) => {
    expect(() => parseRate(text)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  })
})

describe('the room of a limit', () => {
  const room = (concurrency: number | null, held: number, count: number | null, started: number) =>
    roomOf({ concurrency, held, started, rate: count === null ? null : { count, perMs: 1_000 } })

  it('is what is left of the tighter of its two bounds', () => {
    expect(room(null, 9, null, 9)).toBe(Number.POSITIVE_INFINITY)
    expect(room(3, 1, null, 0)).toBe(2)
    expect(room(3, 0, 5, 4)).toBe(1)
    expect(room(3, 2, 5, 0)).toBe(1)
  })

  it('is nothing when it is full, or fuller than it may be by now', () => {
    expect(room(3, 3, null, 0)).toBe(0)
    expect(room(1, 3, null, 0)).toBe(0)
    expect(room(null, 0, 2, 7)).toBe(0)
    expect(room(0, 0, null, 0)).toBe(0)
  })
})

it('a key that begins with a slash is a path', () => {
  expect([isPath('/a'), isPath('a/b')]).toEqual([true, false])
})
