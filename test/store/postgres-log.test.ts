import { describe, expect, it } from 'vitest'
import { newPostgres, setupPostgres, submission, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'

describe('the log on PostgreSQL', () => {
  it('goes to the partition of its month; times that no month covers go to the default one', async () => {
    const { store, raw } = await setupPostgres()
    await submitOne(store)
    await submitOne(store, {}, Date.UTC(1999, 0, 1))
    const month = new Date(await store.now()).toISOString().slice(0, 7).replace('-', '_')
    const rows = await raw(`select c.relname as name from events join pg_class c on c.oid = events.tableoid order by 1`)
    expect(rows.map(({ name }) => name)).toEqual([`events_${month}`, 'events_rest'])
  })

  it('keeps the lists of batches as they are in every partition: to compress them costs more than it saves', async () => {
    const { raw } = await setupPostgres()
    const stored =
      await raw(`select distinct attstorage as storage from pg_attribute join pg_inherits on inhrelid = attrelid
      where inhparent = 'events'::regclass and attname in ('jobs', 'details')`)
    expect(stored).toEqual([{ storage: 'e' }])
  })

  it('refuses changes in every partition, and truncation', async () => {
    const { store, raw } = await setupPostgres()
    await submitOne(store)
    const partitions = await raw(`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'events'::regclass order by 1`)
    expect(partitions.length).toBe(3)
    for (const { name } of [{ name: 'events' }, ...partitions]) {
      await expect(raw(`truncate ${name}`)).rejects.toThrow(/append-only/)
    }
    for (const { name } of partitions.filter(({ name }) => name !== 'events_rest')) {
      await raw(`delete from ${name} where false`)
    }
    await expect(raw('delete from events')).rejects.toThrow(/append-only/)
  })

  it('keeps its partitions when it is opened again', async () => {
    const { open, raw } = await setupPostgres()
    await open()
    expect(await raw(`select 1 from pg_inherits where inhparent = 'events'::regclass`)).toHaveLength(3)
  })

  it('goes on for its readers after a restore into a cluster whose transactions are behind', async () => {
    // No store of before may stay open: it would not know that transactions are lifted now.
    const { open, raw } = newPostgres()
    const store = await open()
    await submitOne(store)
    await readAll({ store, raw })
    const before = await store.events({ limit: 10 })
    // What a dump from an older cluster brings: an event of a transaction far ahead of this cluster's.
    await raw(`insert into events (tx, received_at, occurred_at, namespace, source, event_id, event_type, attributes)
      values (pg_current_xact_id()::text::bigint + 1000000, 0, 0, 'n', 's', 'restored', 'x', '{}')`)
    await store.close()

    const restored = await open()
    const second = submission()
    await restored.submit([second])
    await readAll({ store: restored, raw })
    const after = await restored.events({ after: before.cursor, limit: 10 })
    expect(after.entries.map(({ eventId }) => eventId)).toEqual(['restored', `${second.id}.1`])
    const again = await open()
    await again.submit([submission()])
    await readAll({ store: again, raw })
    expect((await again.events({ after: after.cursor, limit: 10 })).entries).toHaveLength(1)
  })
})
