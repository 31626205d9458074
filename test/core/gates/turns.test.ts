import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Turns } from '../../../src/core/gates/turns.ts'

interface Job {
  readonly of: string
  readonly nth: number
  readonly isSuspect: boolean
}

function jobsOf(counts: Readonly<Record<string, number>>, suspects: readonly string[] = []) {
  const entries = Object.entries(counts).map(([of, count]): [string, readonly Job[]] => {
    const jobs = Array.from({ length: count }, (_, nth) => ({ of, nth, isSuspect: suspects.includes(`${of}${nth}`) }))
    return [of, jobs]
  })
  return new Map(entries)
}

const told = (jobs: readonly Job[]) => jobs.map(({ of, nth }) => `${of}${nth}`).join(' ')

function joined(...names: readonly string[]): Turns {
  const turns = new Turns()
  turns.join(names)
  return turns
}

const counted = (turns: Turns, count: number) => {
  return Object.fromEntries(turns.shares(count).map((share) => [share.of, share.count]))
}

describe('turns', () => {
  it('are shared evenly, and what is left goes to those who joined first', () => {
    const turns = joined('b', 'a', 'c')
    expect(counted(turns, 7)).toEqual({ b: 3, a: 2, c: 2 })
    expect(counted(turns, 2)).toEqual({ b: 1, a: 1 })
    expect(counted(turns, 0)).toEqual({})
    expect(counted(joined(), 5)).toEqual({})
  })

  it('go first to those who have had fewer', () => {
    const turns = joined('a', 'b', 'c')
    turns.note(['a', 'a', 'a', 'b'])
    expect(counted(turns, 1)).toEqual({ c: 1 })
    expect(counted(turns, 3)).toEqual({ c: 2, b: 1 })
    expect(counted(turns, 7)).toEqual({ a: 1, b: 3, c: 3 })
  })

  it('go to the others when one has left, and to whoever joins later as if it had been there', () => {
    const turns = joined('a', 'b')
    turns.note(['a', 'b', 'nobody'])
    turns.leave(['a'])
    turns.join(['c', 'b'])
    expect(turns.newcomers).toBe(1)
    expect(counted(turns, 3)).toEqual({ c: 2, b: 1 })
  })

  it('are dealt one after the other, from what each has had on', () => {
    const turns = joined('a', 'b', 'c', 'none')
    const deal = (count: number) => turns.deal(turns.shares(count), jobsOf({ a: 9, b: 9, c: 1 }), 0)
    expect(told(deal(6))).toBe('a0 b0 c0 a1 b1')
    turns.note(['a', 'a'])
    expect(told(deal(5))).toBe('b0 c0 b1')
  })

  it('have no more suspects among them than allowed: the first ones, and others in place of the rest', () => {
    const turns = joined('a', 'b')
    const jobs = jobsOf({ a: 4, b: 4 }, ['a1', 'b0', 'b1'])
    const deal = (suspectLimit: number) => told(turns.deal(turns.shares(4), jobs, suspectLimit))
    expect([deal(0), deal(1), deal(2), deal(3)]).toEqual(['a0 b2 a2 b3', 'a0 b0 a2 b2', 'a0 b0 a1 b2', 'a0 b0 a1 b1'])
  })

  it('are put in order again when they were had out of it', () => {
    const turns = joined('b', 'none', 'a')
    const had = ['a0', 'a1', 'b0', 'a2', 'b1']
    expect(turns.inOrder(had, (job) => job.charAt(0))).toEqual(['b0', 'a0', 'b1', 'a1', 'a2'])
  })

  it('are always all given, and nobody is ahead of another by more than one, but for what it had before', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,2}$/), { minLength: 1, maxLength: 8 })
    const cases = fc.tuple(names, fc.array(fc.nat(7), { maxLength: 30 }), fc.nat(60))
    fc.assert(
      fc.property(cases, ([players, before, count]) => {
        const turns = joined(...players)
        turns.note(before.map((i) => players[i % players.length] ?? ''))
        const had = new Map(
          players.map((name) => [name, before.filter((i) => players[i % players.length] === name).length]),
        )
        const shares = turns.shares(count)
        expect(shares.reduce((sum, share) => sum + share.count, 0)).toBe(count)
        const given = new Map(shares.map((share) => [share.of, share.count]))
        const total = (name: string) => (had.get(name) ?? 0) + (given.get(name) ?? 0)
        for (const [i, name] of players.entries()) {
          if (!given.has(name)) continue
          for (const [j, other] of players.entries()) {
            // Who joined later may be one behind, who joined before may not.
            expect(total(other)).toBeGreaterThanOrEqual(total(name) - (j > i ? 1 : 0))
          }
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
