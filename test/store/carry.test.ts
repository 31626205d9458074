import { describe, expect, it } from 'vitest'
import { carry, isPlain, revive } from '../../src/store/thread/carry.ts'

/** The way to another thread and what is done at its end. */
function travelled(value: unknown): unknown {
  return revive(structuredClone(carry(value)))
}

describe('arguments that are not plain', () => {
  it.each([
    ['a function', () => 1],
    ['a symbol', [Symbol('a')]],
    ['an object of a class', { a: new Map() }],
    ['an object that says what it is as JSON', { a: { toJSON: () => 1 } }],
  ])('are found: %s', (_, value) => {
    expect(isPlain(value)).toBe(false)
  })

  it('are told from plain data, which needs no copy', () => {
    expect(isPlain([{ a: [1, 'x', null, undefined, 5n, Number.NaN, Object.create(null)] }])).toBe(true)
  })

  it('arrive as what a store takes them for', () => {
    const symbol = travelled(Symbol('a'))
    expect(String(symbol)).toBe('Symbol(a)')
    expect(travelled(() => 1)).toBeTypeOf('function')
    expect(JSON.stringify(travelled({ at: new Date(0), url: new URL('https://a.b/') }))).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","url":"https://a.b/"}',
    )
    class Point {
      x = 1
    }
    const point = travelled(new Point()) as object
    expect(point).toMatchObject({ x: 1 })
    expect(Object.getPrototypeOf(Object.getPrototypeOf(point))).not.toBeNull()
    expect(travelled([undefined, -0, Number.NaN, 5n])).toEqual([undefined, -0, Number.NaN, 5n])
  })

  it('keep their shape: what stands in two places, within itself, or is called __proto__', () => {
    const shared = { a: 1 }
    const circle: Record<string, unknown> = { f: () => 1, one: shared, two: shared }
    circle['self'] = circle
    const copy = travelled(circle) as typeof circle
    expect(copy['self']).toBe(copy)
    expect(copy['one']).toBe(copy['two'])
    const own = travelled({ f: () => 1, inner: JSON.parse('{"__proto__":{"b":1}}') }) as { inner: object }
    expect(Object.keys(own.inner)).toEqual(['__proto__'])
    expect(isPlain(circle['self'])).toBe(false)
  })

  it('may unfold without end, or be very deep: looking at them ends all the same', () => {
    let wide: unknown = 'x'
    for (let i = 0; i < 60; i++) wide = [wide, wide]
    expect(isPlain(wide)).toBe(false)
    expect(travelled(wide)).toHaveLength(2)
    let deep: unknown = 'x'
    for (let i = 0; i < 100_000; i++) deep = { a: deep }
    expect(isPlain(deep)).toBe(false)
    expect(travelled(deep)).toHaveProperty('a.a.a')
  })
})
