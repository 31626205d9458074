import { describe, expect, it } from 'vitest'
import { verify } from '../../src/store/verify.ts'
import { type Fixture, type Setup, setupPostgres, setupSqlite, submission } from '../support/fixture.ts'
import { claimOf, completion } from '../support/requests.ts'

/** A database that fails in the middle of a call: when priority 666 gets its seat, and when its run is written. */
async function failing(setup: Setup, make: readonly string[]): Promise<Fixture> {
  const fixture = await setup()
  for (const sql of make) await fixture.raw(sql)
  return fixture
}

const stores = [
  [
    'SQLite',
    setupSqlite,
    [
      `create trigger no_seat before insert on ready when new.priority = 666 begin select raise(abort, 'no seat'); end`,
      `create trigger no_run before insert on runs when new.error = 'unwritable' begin select raise(abort, 'no run'); end`,
    ],
  ],
  [
    'PostgreSQL',
    setupPostgres,
    [
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'no %', tg_name; end $$`,
      `create trigger seat before insert on ready for each row when (new.priority = 666) execute function fail()`,
      `create trigger run before insert on runs for each row when (new.error = 'unwritable') execute function fail()`,
    ],
  ],
] as const satisfies readonly (readonly [string, Setup, readonly string[]])[]

describe.each(stores)('a call that fails in the middle on %s', (_, setup, make) => {
  it('leaves nothing of a submit behind, and calls made with it are not touched', async () => {
    const { store, raw } = await failing(setup, make)
    const [before, bad, after] = [submission(), submission({ priority: 666 }), submission()]
    const calls = [[before], [submission(), bad, submission()], [after]].map((batch) => store.submit(batch))
    const settled = await Promise.allSettled(calls)
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(settled[1]).toMatchObject({ reason: { message: expect.stringContaining('no seat') } })
    const ids = await raw('select id from jobs order by pk')
    expect(ids.map(({ id }) => id).sort()).toEqual([before?.id, after?.id].sort())
    expect(await verify(store)).toEqual([])
    expect(await store.claim(claimOf())).toHaveLength(2)
  })

  it('leaves an attempt open whose end could not be written, and it can end later', async () => {
    const { store } = await failing(setup, make)
    await store.submit([submission(), submission()])
    const [one, other] = await store.claim(claimOf())
    if (one === undefined || other === undefined) throw new Error('Two jobs were expected.')
    const ending = { kind: 'failed', error: 'unwritable', terminal: true, random: 0 } as const
    const failed = store.apply([completion(other), { job: one, command: { type: 'finish', token: 't1', ending } }])
    await expect(failed).rejects.toThrow(/no run/)
    expect(await store.find([one, other].map(({ job }) => ({ id: job.id })))).toEqual([one, other])
    expect(await verify(store)).toEqual([])
    const results = await store.apply([completion(one), completion(other)])
    expect(results.map(({ ok }) => ok)).toEqual([true, true])
    expect(await verify(store)).toEqual([])
  })
})
