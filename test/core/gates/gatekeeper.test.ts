import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Gatekeeper } from '../../../src/core/gates/gatekeeper.ts'
import type { LimitState } from '../../../src/core/gates/limit.ts'

const limit = (key: string, fields: Partial<LimitState> = {}): LimitState => {
  return { id: key.length, key, concurrency: null, rate: null, held: 0, started: 0, ...fields }
}
const job = (name: string, ...limits: string[]) => ({ name, limits })

describe('a gatekeeper', () => {
  it('lets pass what meets no gate', () => {
    const keeper = new Gatekeeper([{ id: 1, path: '/other' }], [limit('gpu', { concurrency: 0 }), limit('/x')])
    expect(keeper.judge(job('/a/b'))).toEqual({ pass: true, limits: [] })
    expect(keeper.judge(job('/a/b', 'unknown'))).toEqual({ pass: true, limits: [] })
  })

  it('shuts out what is paused, by components and not by letters', () => {
    const pause = { id: 7, path: '/a/b' }
    const keeper = new Gatekeeper([pause], [])
    expect(keeper.judge(job('/a/b/c'))).toEqual({ pass: false, pause })
    expect(keeper.judge(job('/a/b'))).toEqual({ pass: false, pause })
    expect(keeper.judge(job('/a/bc'))).toMatchObject({ pass: true })
  })

  it('counts what it lets pass, of every limit or of none', () => {
    const keeper = new Gatekeeper([], [limit('a', { concurrency: 2 }), limit('bb', { concurrency: 1 })])
    expect(keeper.judge(job('/n/1', 'a', 'bb'))).toMatchObject({ pass: true, limits: [{ key: 'a' }, { key: 'bb' }] })
    expect(keeper.judge(job('/n/2', 'a', 'bb'))).toMatchObject({ pass: false, limit: { key: 'bb', held: 1 } })
    expect(keeper.judge(job('/n/3', 'a'))).toMatchObject({ pass: true })
    expect(keeper.judge(job('/n/4', 'a'))).toMatchObject({ pass: false, limit: { key: 'a', held: 2 } })
  })

  it('holds a limit of a path for all at it and below, beside those of the job', () => {
    const keeper = new Gatekeeper([], [limit('/a', { concurrency: 2 }), limit('k', { rate: { count: 1, perMs: 9 } })])
    expect(keeper.judge(job('/a/x', 'k'))).toMatchObject({ pass: true, limits: [{ key: '/a' }, { key: 'k' }] })
    expect(keeper.judge(job('/ab/x'))).toEqual({ pass: true, limits: [] })
    expect(keeper.judge(job('/b/x', 'k'))).toMatchObject({ pass: false, limit: { key: 'k', started: 1 } })
    expect(keeper.judge(job('/a'))).toMatchObject({ pass: true })
    expect(keeper.judge(job('/a/y'))).toMatchObject({ pass: false, limit: { key: '/a', held: 2 } })
  })

  it('never lets more pass than there is room for, whatever comes in whatever order', () => {
    const keys = ['a', 'b', '/n', '/n/x']
    const bounds = fc.record({
      concurrency: fc.option(fc.nat(4)),
      rate: fc.option(fc.record({ count: fc.nat(4), perMs: fc.constant(1_000) })),
      held: fc.nat(3),
      started: fc.nat(3),
    })
    const jobs = fc.array(
      fc.record({
        name: fc.constantFrom('/n/x/1', '/n/y', '/n', '/nx', '/m'),
        limits: fc.subarray(['a', 'b']),
      }),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(fc.tuple(bounds, bounds, bounds, bounds), jobs, (given, candidates) => {
        const limits = given.map((fields, i) => limit(keys[i] ?? '', { ...fields, id: i }))
        const keeper = new Gatekeeper([], limits)
        const passed = new Map<string, number>()
        for (const candidate of candidates) {
          const verdict = keeper.judge(candidate)
          if (!verdict.pass) continue
          for (const { key } of verdict.limits) passed.set(key, (passed.get(key) ?? 0) + 1)
        }
        for (const { key, concurrency, rate, held, started } of limits) {
          const count = passed.get(key) ?? 0
          if (count === 0) continue
          if (concurrency !== null) expect(held + count).toBeLessThanOrEqual(concurrency)
          if (rate !== null) expect(started + count).toBeLessThanOrEqual(rate.count)
        }
      }),
    )
  })
})
