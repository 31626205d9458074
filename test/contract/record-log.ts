import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { accepted, newId, type Setup, submission } from '../support/fixture.ts'
import { codeOf } from '../support/requests.ts'

/** On PostgreSQL the newest events are seen when all transactions that began before have ended, in whatever database. */
const patience = { timeout: 30_000 }

export function recordLogContract(setup: Setup): void {
  describe('the log of a record', () => {
    const at = '/log/here'
    const create = (store: Store, path: string) =>
      store.control('template.create', { id: newId(), path, type: 'report' })
    const set = (store: Store, path: string, priority: number) => {
      return store.control('defaults.set', { id: newId(), path, settings: { priority } })
    }
    const read = async (store: Store, record: string) => {
      const { entries } = await store.events({ record, limit: 100 })
      return entries.map(({ eventType, version }) => `${eventType} ${version}`)
    }

    it('is found by its id, in pages of any size, and goes on with what comes later', async () => {
      const { store } = await setup()
      const { id } = await create(store, at)
      await create(store, '/log/there')
      for (const priority of [1, 2, 3, 4])
        await store.control('template.change', { template: id, changes: { priority } })
      const all = await store.events({ record: id, limit: 100 })
      expect(all.entries.map(({ eventId }) => eventId)).toEqual([1, 2, 3, 4, 5].map((version) => `${id}.${version}`))
      expect(all.entries[0]).toMatchObject({ eventType: 'template.created', jobId: null, attributes: { id, path: at } })
      let after: string | null = null
      for (const entry of all.entries) {
        const page = await store.events({ record: id, limit: 1, after })
        expect(page.entries).toEqual([entry])
        after = page.cursor
      }
      expect(await store.events({ record: id, limit: 1, after })).toEqual({ entries: [], cursors: [], cursor: after })
      // What has happened to others since is passed over.
      const { cursor } = await store.events({ record: (await create(store, '/log/new')).id, limit: 1 })
      await store.control('template.archive', { template: id })
      for (const from of [after, cursor]) {
        const { entries } = await store.events({ record: id, limit: 9, after: from })
        expect(entries.map(({ eventType }) => eventType)).toEqual(['template.archived'])
      }
      const own = await store.events({ record: id, limit: 100 })
      const ofAll = async () => {
        const { entries } = await store.events({ limit: 100 })
        return entries.filter(({ attributes }) => attributes['id'] === id)
      }
      await expect.poll(ofAll, patience).toEqual(own.entries)
    })

    it('is found by its path, with that of all records that have it', async () => {
      const { store } = await setup()
      await set(store, at, 1)
      const { id } = await create(store, at)
      await store.control('retention.set', { id: newId(), path: at, policy: { jobsMs: 1 } })
      await set(store, at, 2)
      await set(store, '/log', 3)
      await set(store, `${at}/below`, 4)
      const here = ['defaults.set 1', 'template.created 1', 'retention.set 1', 'defaults.set 2']
      expect(await read(store, at)).toEqual(here)
      expect(await read(store, '/log')).toEqual(['defaults.set 1'])
      const pages: string[] = []
      for (let after: string | null = null; pages.length < here.length; ) {
        const { entries, cursor } = await store.events({ record: at, limit: 1, after })
        pages.push(...entries.map(({ eventType, version }) => `${eventType} ${version}`))
        after = cursor
      }
      expect(pages).toEqual(here)
      // One that has left its path is found by its id alone.
      await store.control('template.archive', { template: id })
      expect(await read(store, at)).toEqual(here.filter((each) => !each.startsWith('template')))
      expect(await read(store, id)).toEqual(['template.created 1', 'template.archived 2'])
    })

    it('is empty where there is none, and is refused what names nothing', async () => {
      const { store } = await setup()
      const job = accepted((await store.submit([submission({ name: at })]))[0])
      for (const record of [at, newId(), job.job.id]) {
        expect(await store.events({ record, limit: 10 })).toEqual({ entries: [], cursors: [], cursor: null })
      }
      for (const record of ['', 'x', '\0', `${newId()}\0`, '/log//here', null, 5, {}]) {
        const code = await codeOf(store.events({ record: record as string, limit: 10 }))
        expect(code, String(record)).toMatch(/^invalid_(argument|name)$/)
      }
    })
  })
}
