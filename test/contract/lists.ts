import { describe, expect, it } from 'vitest'
import type { ListRequest, Store } from '../../src/store/store.ts'
import { cancel } from '../support/children.ts'
import { accepted, type Setup, submission, submitOne } from '../support/fixture.ts'
import { idsOf, submitMany, times } from '../support/racing.ts'
import { claimOf, completion, failure, finish } from '../support/requests.ts'
import { strangeTexts } from '../support/zoo.ts'

async function listed(store: Store, request: Partial<ListRequest>): Promise<readonly string[]> {
  const { jobs, next } = await store.list({ limit: 100, ...request })
  expect(next).toBe(null)
  return idsOf(jobs)
}

export function listContract(setup: Setup): void {
  describe('lists of jobs', () => {
    it('have the newest first, as they are stored, page by page', async () => {
      const { store } = await setup()
      const submitted = await submitMany(store, 11)
      const newestFirst = [...submitted].reverse()
      expect((await store.list({ limit: 100 })).jobs).toEqual(newestFirst)
      const pages: (readonly string[])[] = []
      let before: number | null = null
      do {
        const page = await store.list({ before, limit: 4 })
        pages.push(idsOf(page.jobs))
        before = page.next
        // What comes while somebody turns the pages does not move them.
        await submitOne(store)
      } while (before !== null)
      expect(pages.map(({ length }) => length)).toEqual([4, 4, 3])
      expect(pages.flat()).toEqual(idsOf(newestFirst))
    })

    it('end where the last page is full', async () => {
      const { store } = await setup()
      await submitMany(store, 4)
      const first = await store.list({ limit: 4 })
      expect(first.next).not.toBe(null)
      expect(await store.list({ limit: 4, before: first.next })).toEqual({ jobs: [], next: null })
    })

    it('are chosen by status, those that were just claimed among the running', async () => {
      const { store } = await setup()
      await submitMany(store, 6, { retry: { baseMs: 0 } })
      const [claimed, awaiting, retried, completed, asked, cancelled] = await store.claim(claimOf())
      if (!claimed || !awaiting || !retried || !completed || !asked || !cancelled) throw new Error('Too few.')
      await store.apply([
        finish(awaiting, { kind: 'suspended', awaits: null, until: null }),
        failure(retried),
        completion(completed),
        cancel(asked),
        cancel(cancelled),
        finish(cancelled, { kind: 'cancelled' }),
      ])
      const queued = await submitOne(store)
      const delayed = await submitOne(store, { scheduledFor: Date.now() + 60_000 })
      expect(await listed(store, { status: 'running' })).toEqual(idsOf([asked, awaiting, claimed]))
      expect(await listed(store, { status: 'final' })).toEqual(idsOf([cancelled, completed]))
      expect(await listed(store, { status: 'queued' })).toEqual(idsOf([delayed, queued, retried]))
      expect(await listed(store, { cancelled: true })).toEqual(idsOf([cancelled]))
      expect(await listed(store, { cancelled: false, status: 'final' })).toEqual(idsOf([completed]))
      expect(await listed(store, { outcome: 'COMPLETED' })).toEqual(idsOf([completed]))
      const { jobs } = await store.list({ status: 'running', limit: 100 })
      expect(jobs.map(({ job }) => job.phase)).toEqual(['running', 'awaiting', 'running'])
    })

    it('are chosen by how the last run ended', async () => {
      const { store } = await setup()
      await submitMany(store, 2)
      const [failed, skipped] = await store.claim(claimOf())
      if (!failed || !skipped) throw new Error('Two jobs were expected.')
      const expired = await submitOne(store)
      await store.apply([
        failure(failed, 'boom', { terminal: true }),
        { job: expired, command: { type: 'skip', reason: 'x', cancelled: false } },
      ])
      expect(await listed(store, { outcome: 'FAILED' })).toEqual(idsOf([failed]))
      expect(await listed(store, { outcome: 'SKIPPED' })).toEqual(idsOf([expired]))
      expect(await listed(store, { outcome: 'COMPLETED' })).toEqual([])
    })

    it('are chosen by branch: the name itself and what is below it, by bytes', async () => {
      const { store } = await setup()
      const names = [
        '/a/b',
        '/a/b/c',
        '/a/b/c/d',
        '/a/b/ä',
        '/a/bc',
        '/a/b-x',
        '/a/b0',
        '/a/b.',
        '/a/B',
        '/a/B/c',
        '/ab',
      ]
      const jobs = (await store.submit(names.map((name) => submission({ name })))).map(accepted)
      expect(await listed(store, { branch: '/a/b' })).toEqual([...idsOf(jobs.slice(0, 4))].reverse())
      expect(await listed(store, { branch: '/a/b/c' })).toEqual([...idsOf(jobs.slice(1, 3))].reverse())
      expect(await listed(store, { branch: '/a' })).toHaveLength(10)
      expect(await listed(store, { branch: '/nobody' })).toEqual([])
    })

    it('are chosen by labels and keys of any kind, by bytes', async () => {
      const { store } = await setup()
      const plain = await submitOne(store)
      const jobs = (
        await store.submit(strangeTexts.map((text) => submission({ key: text, labels: { [text]: text, team: text } })))
      ).map(accepted)
      for (const [i, text] of strangeTexts.entries()) {
        const expected = [jobs[i]?.job.id]
        expect(await listed(store, { key: text })).toEqual(expected)
        expect(await listed(store, { label: { name: text, value: text } })).toEqual(expected)
        expect(await listed(store, { label: { name: 'team', value: text } })).toEqual(expected)
      }
      expect(await listed(store, { label: { name: 'team', value: 'nobody' } })).toEqual([])
      expect(await listed(store, { label: { name: 'nobody', value: 'x' } })).toEqual([])
      expect(await listed(store, {})).toContain(plain.job.id)
    })

    it('are chosen by type, and are empty for a type that nobody has submitted', async () => {
      const { store } = await setup()
      const a = await submitMany(store, 2, { type: 'a' })
      await submitMany(store, 2, { type: 'b' })
      expect(await listed(store, { type: 'a' })).toEqual([...idsOf(a)].reverse())
      expect(await listed(store, { type: 'nobody' })).toEqual([])
      expect(await listed(store, { type: 'A' })).toEqual([])
    })

    it('hold what fits all that is asked for, also on later pages', async () => {
      const { store } = await setup()
      const fields = (i: number) => ({ type: i % 2 === 0 ? 'a' : 'b', labels: { n: String(i % 3) } })
      const jobs = (await store.submit(times(24, (i) => submission({ ...fields(i), name: `/x/n${i}` })))).map(accepted)
      const expected = [...jobs].reverse().filter(({ job }) => job.type === 'a' && job.labels['n'] === '0')
      const request = { type: 'a', label: { name: 'n', value: '0' }, branch: '/x', status: 'queued' } as const
      const first = await store.list({ ...request, limit: 3 })
      const second = await store.list({ ...request, limit: 3, before: first.next })
      expect([...first.jobs, ...second.jobs]).toEqual(expected)
    })
  })
}
