import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escaped, inOrderOfNeed, isUnresolved, withValues } from '../../../src/core/slot/needs.ts'
import { codeOf } from '../job/life.ts'

describe('values in params', () => {
  it.each([
    ['{"a":null,"b":1}', [{ at: '/a', value: '[2]' }], '{"a":[2],"b":1}'],
    [
      '{"a":[null,0,null]}',
      [
        { at: '/a/0', value: '1' },
        { at: '/a/2', value: null },
      ],
      '{"a":[1,0,null]}',
    ],
    ['null', [{ at: '', value: '"whole"' }], '"whole"'],
    [null, [{ at: '', value: '7' }], '7'],
    [null, [], null],
    ['{"a/b":{"~c":null}}', [{ at: `/${escaped('a/b')}/${escaped('~c')}`, value: 'true' }], '{"a/b":{"~c":true}}'],
    [
      '{"b":1}',
      [
        { at: '/a', value: '1' },
        { at: '/b/c', value: '1' },
        { at: '/x/y/z', value: '1' },
      ],
      '{"b":1}',
    ],
    ['{"b":1}', [{ at: '/__proto__/x', value: '1' }], '{"b":1}'],
  ] as const)('%s with %j is %s', (params, values, expected) => {
    expect(withValues(params, values)).toBe(expected)
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })

  it('must not make them too large', () => {
    const half = JSON.stringify('x'.repeat(600_000))
    const values = [
      { at: '/0', value: half },
      { at: '/1', value: half },
    ]
    expect(codeOf(() => withValues('[null,null]', values))).toBe('payload_too_large')
  })

  it('any value arrives at any place, and nothing else changes', () => {
    const pathOf = (names: readonly string[]) => names.map((name) => `/${escaped(name)}`).join('')
    fc.assert(
      fc.property(
        fc.array(fc.string(), { minLength: 1, maxLength: 4 }),
        fc.jsonValue({ maxDepth: 3 }),
        (names, value) => {
          fc.pre(!names.includes('__proto__'))
          const around = (inner: unknown) =>
            names.reduceRight<unknown>((held, name) => ({ [name]: held, other: 1 }), inner)
          const expected = JSON.stringify(around(value))
          const given = withValues(JSON.stringify(around(null)), [{ at: pathOf(names), value: JSON.stringify(value) }])
          if (!names.includes('other')) expect(JSON.parse(given ?? '')).toEqual(JSON.parse(expected))
        },
      ),
    )
  })
})

describe('isUnresolved', () => {
  it('says whether a job still waits for values', () => {
    const needs = { list: [{ of: 'a', at: null }], onFailure: 'skip' } as const
    expect([null, []].map((upstream) => isUnresolved({ needs, upstream }))).toEqual([true, false])
    expect(isUnresolved({ needs: null, upstream: null })).toBe(false)
  })
})

describe('the order of need', () => {
  const of = (id: string, ...needs: readonly string[]) => ({ id, needs })

  it('puts what is needed before what needs it, and otherwise keeps the order', () => {
    const { ordered, circular } = inOrderOfNeed([of('c', 'a', 'b'), of('x'), of('b', 'a'), of('a', 'elsewhere')])
    expect(ordered.map(({ id }) => id)).toEqual(['x', 'a', 'b', 'c'])
    expect(circular).toEqual([])
  })

  it('finds circles, and what hangs on them', () => {
    const { ordered, circular } = inOrderOfNeed([of('a', 'b'), of('b', 'a'), of('c', 'b'), of('d'), of('e', 'e')])
    expect(ordered.map(({ id }) => id)).toEqual(['d'])
    expect(circular.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'e'])
  })

  it('orders any graph without circles', () => {
    const graph = fc.array(fc.array(fc.nat(20), { maxLength: 4 }), { maxLength: 20 })
    fc.assert(
      fc.property(graph, (links) => {
        // An edge from a later one to an earlier one, so there are no circles; then turned around.
        const items = links.map((to, i) => ({ id: `${i}`, needs: to.filter((j) => j < i).map(String) })).reverse()
        const { ordered, circular } = inOrderOfNeed(items)
        const place = new Map(ordered.map(({ id }, i) => [id, i]))
        expect(circular).toEqual([])
        for (const { id, needs } of items) {
          for (const need of needs) expect(place.get(need) ?? 0).toBeLessThan(place.get(id) ?? -1)
        }
      }),
    )
  })
})
