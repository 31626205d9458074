import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Ask, type Filters, keysListed, type ListedKeys } from '../../src/store/reads/lists.ts'

/** Jobs of which one thing is known: whether they are of the type that is looked for. Their keys are their places. */
type Jobs = readonly boolean[]

const nothing: Filters = {
  ...{ before: Number.MAX_SAFE_INTEGER, limit: 10, type: null, status: null, outcome: null, cancelled: null },
  ...{ branch: null, key: null, label_name: null, label_value: null, tasks: 1 },
}

interface Answered extends ListedKeys {
  /** How many jobs were looked at. */
  readonly looked: number
  readonly statements: readonly string[]
}

function list(jobs: Jobs, filters: Filters, looked: number): Answered {
  const statements: string[] = []
  let seen = 0
  const below = (before: number, count = jobs.length) => {
    const pks = [...jobs.keys()].reverse().filter((pk) => pk < before)
    return pks.slice(0, count)
  }
  const run = ({ statement, params }: Ask) => {
    statements.push(statement)
    const { before, count, limit, pks } = params as { before: number; count: number; limit: number; pks: number[] }
    if (statement.endsWith('Count')) return [{ pk: 0, count: jobs.length }]
    if (statement === 'jobKeysMatching') {
      seen += pks.length
      const found = pks.filter((pk) => jobs[pk]).slice(0, limit)
      return found.map((pk) => ({ pk, count: 0 }))
    }
    return below(before, count).map((pk) => ({ pk, count: 0 }))
  }
  const asking = keysListed(filters, { few: 5, fewer: 2, looked })
  for (let asked = asking.next(); ; asked = asking.next(run(asked.value))) {
    if (asked.done) return { ...asked.value, looked: seen, statements }
  }
}

describe('a page of a list', () => {
  it('looks at no more than it is worth, and goes on from there', () => {
    const jobs = Array.from({ length: 1_000 }, (_, pk) => pk === 3)
    const first = list(jobs, { ...nothing, type: 1 }, 300)
    expect([first.pks, first.next, first.looked]).toEqual([[], 700, 300])
    const last = list(jobs, { ...nothing, type: 1, before: 100 }, 300)
    expect([last.pks, last.next]).toEqual([[3], null])
  })

  it('is full, whatever is to be looked at, when nothing is asked for', () => {
    const jobs = Array.from({ length: 1_000 }, () => true)
    const { pks, next, statements } = list(jobs, { ...nothing, limit: 500 }, 300)
    expect([pks.length, next, statements]).toEqual([500, 500, ['jobKeys']])
  })

  it('has everything in the end, once and in order', () => {
    const all = fc.array(fc.boolean(), { maxLength: 1_500 })
    const limits = fc.integer({ min: 1, max: 200 })
    fc.assert(
      fc.property(all, limits, fc.integer({ min: 1, max: 500 }), (jobs, limit, looked) => {
        const found: number[] = []
        let before: number | null = Number.MAX_SAFE_INTEGER
        while (before !== null) {
          const page: Answered = list(jobs, { ...nothing, type: 1, before, limit }, looked)
          expect(page.looked).toBeLessThanOrEqual(Math.max(looked, limit))
          expect(page.pks.length).toBeLessThanOrEqual(limit)
          found.push(...page.pks)
          before = page.next
        }
        expect(found).toEqual([...jobs.keys()].filter((pk) => jobs[pk]).reverse())
      }),
    )
  })

  it.each([
    ['jobKeysOfKey', { key: 'k', branch: '/a' }, 0],
    ['branchCount jobKeysOfBranch', { branch: '/a', status: 'running' }, 2],
    ['branchCount jobKeysRunning', { branch: '/a', status: 'running' }, 3],
    ['branchCount jobKeysOfBranch', { branch: '/a', type: 1 }, 5],
    ['branchCount jobKeys', { branch: '/a', type: 1 }, 6],
    ['jobKeysCancelled', { cancelled: 1, status: 'final' }, 0],
    ['jobKeysOfOutcome', { outcome: 1 }, 0],
    ['jobKeys', { outcome: 0 }, 0],
    ['queuedCount jobKeysQueued', { status: 'queued' }, 5],
    ['queuedCount jobKeys', { status: 'queued' }, 6],
    ['jobKeys', { type: 1 }, 0],
  ])('asks %s', (asked, fields, count) => {
    const jobs = Array.from({ length: count }, () => true)
    const { statements } = list(jobs, { ...nothing, ...fields }, 300)
    expect(statements.filter((name) => name !== 'jobKeysMatching').join(' ')).toBe(asked)
  })
})
