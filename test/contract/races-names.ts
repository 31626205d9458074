import { describe, expect, it } from 'vitest'
import type { Submission, SubmitResult } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, codeOf, type Setup, submission } from '../support/fixture.ts'
import { allJobs, at, openStores, times } from '../support/racing.ts'

const racers = 12

/** What makes two submissions meet: one name, or one type and key under different names. */
const handles: readonly (readonly [string, (i: number) => Partial<Submission>, string])[] = [
  ['name', () => ({ name: '/test/same' }), 'name_taken'],
  ['type and key', (i) => ({ name: `/test/other-${i}`, key: 'same' }), 'key_taken'],
]

function counted(results: readonly SubmitResult[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const code of results.map(codeOf)) counts[code] = (counts[code] ?? 0) + 1
  return counts
}

export function nameRaces(setup: Setup): void {
  describe.each(handles)('one %s for many submissions at the same time', (_, fieldsOf, taken) => {
    async function race(onConflict: Submission['onConflict'] & string) {
      const fixture = await setup()
      const stores = await openStores(fixture, 6)
      const calls = times(racers, (i) => at(stores, i).submit([submission({ ...fieldsOf(i), onConflict })]))
      return { ...fixture, results: (await Promise.all(calls)).flat() }
    }

    it('error: exactly one is created', async () => {
      const { store, results } = await race('error')
      expect(counted(results)).toEqual({ created: 1, [taken]: racers - 1 })
      expect(await allJobs(store)).toHaveLength(1)
      expect(await verify(store)).toEqual([])
    })

    it('keep: one is created, and all get it', async () => {
      const { store, results } = await race('keep')
      expect(counted(results)).toEqual({ created: 1, kept: racers - 1 })
      expect(new Set(results.map((result) => accepted(result).job.id)).size).toBe(1)
      expect(await allJobs(store)).toHaveLength(1)
      expect(await verify(store)).toEqual([])
    })

    it('skip: one is created, and the others have a run that says so', async () => {
      const { store, results } = await race('skip')
      expect(counted(results)).toEqual({ created: 1, skipped: racers - 1 })
      const jobs = await allJobs(store)
      const live = jobs.filter(({ job }) => job.state !== 'final')
      expect(live).toHaveLength(1)
      for (const { job } of jobs.filter(({ job }) => job.state === 'final')) {
        const reason = `duplicate of ${live[0]?.job.id}`
        expect(await store.runs(job.id)).toMatchObject([{ attempt: 0, status: 'SKIPPED', reason }])
      }
      expect(await verify(store)).toEqual([])
    })

    it('replace: the last one lives, all others were cancelled before they ran', async () => {
      const { store, results } = await race('replace')
      expect(counted(results)).toEqual({ created: racers })
      const jobs = await allJobs(store)
      expect(jobs.filter(({ guard }) => !guard.released)).toHaveLength(1)
      const ended = jobs.filter(({ job }) => job.state === 'final')
      expect(ended).toHaveLength(racers - 1)
      for (const { job } of ended) expect(job).toMatchObject({ cancelled: true, attempt: 0 })
      expect(await verify(store)).toEqual([])
    })
  })

  describe('submissions at the same time', () => {
    it('one id given by several is one job: the first creates it, the others find it', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 5)
      const batch = times(20, () => submission())
      const orders = stores.map((store, i) => store.submit(i % 2 === 0 ? batch : [...batch].reverse()))
      expect(counted((await Promise.all(orders)).flat())).toEqual({ created: 20, kept: 80 })
      expect(await allJobs(fixture.store)).toHaveLength(20)
      expect(await verify(fixture.store)).toEqual([])
    })

    it.each(['error', 'keep', 'skip', 'replace'] as const)(
      'batches that share names in opposite orders all get their answers: %s',
      async (onConflict) => {
        const fixture = await setup()
        const stores = await openStores(fixture, 4)
        const names = times(25, (i) => `/test/shared-${i}`)
        const answers = await Promise.all(
          stores.map((store, i) => {
            return store.submit(
              (i % 2 === 0 ? names : [...names].reverse()).map((name) => submission({ name, onConflict })),
            )
          }),
        )
        const others = { error: 'name_taken', keep: 'kept', skip: 'skipped', replace: 'created' }[onConflict]
        expect(counted(answers.flat())).toEqual(others === 'created' ? { created: 100 } : { created: 25, [others]: 75 })
        const live = (await allJobs(fixture.store)).filter(({ guard }) => !guard.released)
        expect(live.map(({ job }) => job.name).sort()).toEqual([...names].sort())
        expect(await verify(fixture.store)).toEqual([])
      },
    )

    it('batches whose names and keys cross each other all get their answers', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 2)
      const answers = await Promise.all(
        stores.map((store, s) => {
          // Names come in the order of the batch in both, keys do not.
          const keyOf = (i: number) => `key-${s === 0 ? i : 11 - i}`
          return store.submit(times(12, (i) => submission({ name: `/test/${s}-${10 + i}`, key: keyOf(i) })))
        }),
      )
      expect(counted(answers.flat())).toEqual({ created: 12, key_taken: 12 })
      expect(new Set((await allJobs(fixture.store)).map(({ job }) => job.key)).size).toBe(12)
      expect(await verify(fixture.store)).toEqual([])
    })
  })
}
