import { describe, expect, it } from 'vitest'
import { type Setup, submission } from '../support/fixture.ts'

export function schemaContract(setup: Setup): void {
  describe('schema', () => {
    it('is made once when many open an empty database at the same time', async () => {
      const { open, raw } = await setup()
      const stores = await Promise.all(Array.from({ length: 6 }, () => open()))
      await Promise.all(stores.map((store) => store.submit([submission()])))
      expect((await raw('select version from migrations order by version')).map(({ version }) => version)).toEqual([
        1, 2, 3, 4, 5, 6,
      ])
      expect((await raw('select count(*) as n from jobs')).map(({ n }) => Number(n))).toEqual([6])
    })

    it('of a newer Stint is refused politely, and left as it is', async () => {
      const { open, raw } = await setup()
      await raw(`insert into migrations (version, name, checksum, applied_at) values (999, 'future', 'x', 0)`)
      await expect(open()).rejects.toMatchObject({
        code: 'schema_newer',
        message: expect.stringContaining('newer Stint'),
        details: { databaseSchema: 999 },
      })
      expect(await raw('select version from migrations order by version desc limit 1')).toMatchObject([
        { version: 999 },
      ])
    })

    it('whose migrations were changed is refused', async () => {
      const { open, raw } = await setup()
      await raw(`update migrations set checksum = 'other' where version = 1`)
      await expect(open()).rejects.toMatchObject({ code: 'schema_changed', details: { migration: 1 } })
    })

    it('keeps everything over a restart', async () => {
      const { store, open } = await setup()
      const one = submission({ params: '{"x":1}' })
      await store.submit([one])
      const before = await store.find([{ id: one.id }])
      await store.close()
      expect(await (await open()).find([{ id: one.id }])).toEqual(before)
    })
  })

  describe('a closed store', () => {
    it('refuses everything with its code', async () => {
      const { store } = await setup()
      await store.close()
      const refused = { code: 'store_closed' }
      await expect(store.submit([submission()])).rejects.toMatchObject(refused)
      await expect(store.find([{ id: 'x' }])).rejects.toMatchObject(refused)
      await expect(store.claim({ workerId: 'w', token: 't', types: [], limit: 1 })).rejects.toMatchObject(refused)
      await store.close()
    })
  })
}
