import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type ErrorCode, StintError } from '../../src/core/errors.ts'
import { checkedText, jsonLimits, sanitisedText, toJsonText } from '../../src/core/json.ts'

const numRuns = 1_000

function refusalOf(act: () => unknown): StintError | null {
  try {
    act()
    return null
  } catch (error) {
    if (error instanceof StintError) return error
    throw error
  }
}

function expectRefused(value: unknown, code: ErrorCode, says: string, maxBytes?: number): void {
  const error = refusalOf(() => toJsonText(value, 'params', maxBytes))
  expect(error?.code).toBe(code)
  expect(error?.message).toContain(says)
}

/** A value inside `levels` arrays. */
function nested(levels: number, innermost: unknown): unknown {
  let value = innermost
  for (let i = 0; i < levels; i++) value = [value]
  return value
}

describe('toJsonText', () => {
  it('gives the text of JSON, with names in their order', () => {
    const value = { b: 1, a: [true, null, 'é', -1.5e-7], 10: {}, 9: [] }
    expect(toJsonText(value, 'params')).toBe(JSON.stringify(value))
  })

  it('gives null for nothing, and the text null for null', () => {
    expect(toJsonText(undefined, 'params')).toBeNull()
    expect(toJsonText(null, 'params')).toBe('null')
  })

  it.each([
    ['NUL', { a: 'x\0y' }, 'params.a cannot be stored: text must not contain NUL (U+0000); got "x\\u0000y".'],
    ['NUL in a name', { a: { 'x\0': 1 } }, 'a name in params.a cannot be stored: text must not contain NUL'],
    ['a lone high surrogate', ['\ud800'], 'params[0] cannot be stored: text must not contain lone surrogates'],
    ['a lone low surrogate', '\udc00', 'params cannot be stored: text must not contain lone surrogates'],
    ['surrogates in the wrong order', '\udc00\ud800', 'lone surrogates'],
    ['a lone surrogate in a name', { '\ud83d': 1 }, 'a name in params cannot be stored: text must not contain lone'],
    ['NaN', { a: Number.NaN }, 'params.a cannot be stored: numbers must be finite; got NaN.'],
    ['Infinity', Number.POSITIVE_INFINITY, 'numbers must be finite; got Infinity.'],
    ['-Infinity', [Number.NEGATIVE_INFINITY], 'numbers must be finite; got -Infinity.'],
    ['a bigint', { a: 1n }, 'JSON cannot hold a bigint'],
    ['a function', { a: () => 1 }, 'params.a cannot be stored: JSON cannot hold a function'],
    ['a function in an array', [() => 1], 'params[0] cannot be stored: JSON cannot hold a function'],
    ['a symbol', Symbol('s'), 'JSON cannot hold a symbol'],
    ['an instance', { a: new (class Point {})() }, 'params.a cannot be stored: only plain objects and arrays'],
    ['an object with a prototype of its own', Object.create({ inherited: 1 }), 'only plain objects and arrays'],
    ['a Map', new Map([['a', 1]]), 'only plain objects and arrays'],
    ['a Set', new Set([1]), 'only plain objects and arrays'],
    ['a regular expression', /x/, 'only plain objects and arrays'],
    ['bytes', new Uint8Array(2), 'only plain objects and arrays'],
    ['an Error', new Error('x'), 'only plain objects and arrays'],
    ['a boxed text', new String('x'), 'only plain objects and arrays'],
    ['what toJSON hides', { toJSON: () => undefined }, 'JSON cannot hold a undefined'],
  ])('refuses %s', (_what, value, says) => {
    expectRefused(value, 'invalid_json', says)
  })

  it('names the field and the rule', () => {
    const error = refusalOf(() => toJsonText({ list: [0, { deep: 'x\0' }] }, 'result'))
    expect(error?.details).toEqual({ field: 'result.list[1].deep', rule: 'text must not contain NUL (U+0000)' })
  })

  it('takes text of every plane', () => {
    expect(toJsonText({ 'ключ 🔑': '😀\u2028\u007f\u0001' }, 'params')).toBe('{"ключ 🔑":"😀\u2028\u007f\\u0001"}')
  })

  it('leaves out members that are undefined, whatever their names, and keeps the places of items that are', () => {
    expect(toJsonText({ a: undefined, '\0': undefined, b: 1 }, 'params')).toBe('{"b":1}')
    expect(toJsonText([undefined, 1, undefined], 'params')).toBe('[null,1,null]')
  })

  it('fills the holes of a sparse array with null', () => {
    const sparse: number[] = []
    sparse[2] = 3
    expect(toJsonText(sparse, 'params')).toBe('[null,null,3]')
  })

  it('takes objects without a prototype, and what toJSON gives', () => {
    expect(toJsonText(Object.assign(Object.create(null), { a: 1 }), 'params')).toBe('{"a":1}')
    expect(toJsonText({ at: new Date(0) }, 'params')).toBe('{"at":"1970-01-01T00:00:00.000Z"}')
    expect(toJsonText(new URL('http://a/b'), 'params')).toBe('"http://a/b"')
    expect(toJsonText({ toJSON: 'data' }, 'params')).toBe('{"toJSON":"data"}')
  })

  it('asks getters and toJSON once, so that what was checked is what is kept', () => {
    let asked = 0
    const sly = {
      get a() {
        asked++
        return asked === 1 ? 'fine' : '\0'
      },
    }
    expect(toJsonText(sly, 'params')).toBe('{"a":"fine"}')
    expect(toJsonText({ toJSON: () => (asked++ === 1 ? 'once' : '\0') }, 'params')).toBe('"once"')
  })

  it('keeps a member named __proto__ as data and changes no prototype', () => {
    const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
    expect(toJsonText(JSON.parse(text), 'params')).toBe(text)
    expect('polluted' in {}).toBe(false)
  })
})

describe('toJsonText has limits', () => {
  it('takes a value inside 100 arrays or objects, and refuses one inside 101', () => {
    expect(jsonLimits.depth).toBe(100)
    expect(toJsonText(nested(100, 1), 'params')).toBe('['.repeat(100) + 1 + ']'.repeat(100))
    expectRefused(nested(101, 1), 'invalid_json', 'not nested deeper than 100 levels')
    const objects = (levels: number): unknown => (levels === 0 ? 1 : { a: objects(levels - 1) })
    expect(toJsonText(objects(100), 'params')).toHaveLength(601)
    expectRefused(objects(101), 'invalid_json', 'not nested deeper than 100 levels')
  })

  it('refuses a circle', () => {
    const circle: { self?: unknown } = {}
    circle.self = [circle]
    expectRefused(circle, 'invalid_json', 'not nested deeper than 100 levels')
    const answersWithItself = {
      toJSON() {
        return this
      },
    }
    expectRefused(answersWithItself, 'invalid_json', 'not nested deeper than 100 levels')
  })

  it.each([
    ['a', 1],
    ['é', 2],
    ['€', 3],
    ['😀', 4],
    ['\n', 2],
    ['\u0001', 6],
  ])('counts bytes of UTF-8: %j takes %i', (char, bytes) => {
    const text = char.repeat(7)
    expect(toJsonText(text, 'params', 7 * bytes + 2)).toBe(JSON.stringify(text))
    expectRefused(text, 'payload_too_large', 'params is too large', 7 * bytes + 1)
  })

  it('takes 1 MiB of JSON and not a byte more', () => {
    const room = jsonLimits.bytes - '{"a":""}'.length
    expect(toJsonText({ a: 'x'.repeat(room) }, 'params')).toHaveLength(1_048_576)
    expectRefused({ a: 'x'.repeat(room + 1) }, 'payload_too_large', 'at most 1048576 bytes of JSON are kept')
    expectRefused({ a: 'é'.repeat(room / 2 + 1) }, 'payload_too_large', 'params is too large')
    expectRefused({ ['x'.repeat(room + 2)]: '' }, 'payload_too_large', 'params is too large')
  })

  it('names the value as a whole when it is too large', () => {
    const error = refusalOf(() => toJsonText({ a: [1, 2, 3] }, 'result', 3))
    expect(error?.details).toEqual({ field: 'result', rule: 'at most 3 bytes of JSON are kept' })
  })

  test.each([
    ['objects that share', (): unknown => nestedPairs((inner) => ({ a: inner, b: inner }))],
    ['arrays that share', (): unknown => nestedPairs((inner) => [inner, inner])],
    ['one long text many times', (): unknown => Array(10_000).fill('x'.repeat(100_000))],
    ['one long name many times', (): unknown => Array(10_000).fill({ ['x'.repeat(100_000)]: 0 })],
    ['an array of holes', (): unknown => new Array(4_000_000_000)],
  ])('refuses a small graph that unfolds into a huge text, soon: %s', (_what, graph) => {
    const startedAt = performance.now()
    expectRefused(graph(), 'payload_too_large', 'params is too large', 100_000)
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })

  function nestedPairs(pair: (inner: unknown) => unknown): unknown {
    let value: unknown = 1
    for (let i = 0; i < 60; i++) value = pair(value)
    return value
  }
})

describe('laws', () => {
  const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toJSON', 'length', 'a', '0'))
  const fine = [
    ...[fc.string(), fc.integer(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true })],
    ...[fc.constantFrom(null, undefined, -0, 'é😀'), fc.date({ noInvalidDate: false })],
  ]
  const refused = [fc.string({ unit: 'binary' }), fc.double(), fc.constantFrom('\0', '\udfff', Symbol('s'), () => 1)]
  const holdable = fc.anything({ key: name, values: fine, withNullPrototype: true, withSparseArray: true })
  const unholdable = fc.anything({
    key: fc.oneof(name, fc.constantFrom('\ud800', '\0')),
    values: [...fine, ...refused],
    withBigInt: true,
    withBoxedValues: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
  })

  it('whatever is taken reads back as JSON would have written it, and the rest is refused', () => {
    let taken = 0
    const law = fc.property(fc.oneof(holdable, unholdable), (value) => {
      const error = refusalOf(() => toJsonText(value, 'params'))
      expect([undefined, 'invalid_json']).toContain(error?.code)
      if (error !== null || value === undefined) return
      taken++
      expect(JSON.parse(toJsonText(value, 'params') ?? '')).toEqual(JSON.parse(JSON.stringify(value)))
    })
    fc.assert(law, { numRuns: numRuns * 2 })
    expect(taken).toBeGreaterThan(numRuns / 4)
  })

  it('what JSON can hold is taken, and its text is that of JSON', () => {
    const law = fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      if (text.includes('\\u0000') || text.includes('\\ud')) return
      expect(toJsonText(value, 'params')).toBe(text)
      expect(toJsonText(value, 'params', Buffer.byteLength(text))).toBe(text)
      expectRefused(value, 'payload_too_large', 'params is too large', Buffer.byteLength(text) - 1)
    })
    fc.assert(law, { numRuns })
  })

  it('sanitised text can always be stored, and is what it was when it could be', () => {
    const law = fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(40), (text, max) => {
      const clean = sanitisedText(text, max)
      expect(checkedText(clean, 'error')).toBe(clean)
      if (text.length <= max && text.isWellFormed() && !text.includes('\0')) expect(clean).toBe(text)
    })
    fc.assert(law, { numRuns })
  })
})

describe('checkedText', () => {
  it('gives the text back, or refuses it by the name of its field', () => {
    expect(checkedText('é😀', 'key')).toBe('é😀')
    expect(refusalOf(() => checkedText('\0', 'key'))?.message).toMatch(
      /^key cannot be stored: text must not contain NUL/,
    )
    expect(refusalOf(() => checkedText('\ud800', 'key'))?.code).toBe('invalid_json')
  })
})

describe('sanitisedText', () => {
  it('replaces what a store could not hold', () => {
    expect(sanitisedText('a\0b\ud800c\udc00d😀')).toBe('a\ufffdb\ufffdc\ufffdd😀')
  })

  it('cuts what is too long, never through a character, and says so', () => {
    expect(sanitisedText('abcdef', 6)).toBe('abcdef')
    expect(sanitisedText('abcdefg', 6)).toBe('abcdef… (cut, 7 characters)')
    expect(sanitisedText('abcde😀', 6)).toBe('abcde\ufffd… (cut, 7 characters)')
    expect(sanitisedText('x'.repeat(65_536))).toHaveLength(65_536)
    expect(sanitisedText('x'.repeat(65_537))).toBe(`${'x'.repeat(65_536)}… (cut, 65537 characters)`)
  })
})
