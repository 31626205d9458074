import { describe, expect, it } from 'vitest'
import { verify } from '../../src/store/verify.ts'
import { followUpAll, reread, runningParent, submitChildren } from '../support/children.ts'
import { type Fixture, type Setup, setupPostgres, setupSqlite, submission } from '../support/fixture.ts'
import { claimOf, completion, failure } from '../support/requests.ts'

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

/** While the first stands, no job can be cancelled; 10 is `job.cancelled`. */
const noCancel = {
  sqlite: [
    `create trigger cancel before insert on events when new.code = 10 begin select raise(abort, 'no cancel'); end`,
    'drop trigger cancel',
  ],
  postgres: [
    'create trigger cancel before insert on events for each row when (new.code = 10) execute function fail()',
    'drop trigger cancel on events',
  ],
} as const

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

  it('leaves a follow-up where it was, and whoever comes next goes on with it', async () => {
    const { store, open, raw } = await failing(setup, make)
    const parent = await runningParent(store)
    const children = await submitChildren(store, parent, 5)
    await store.apply([failure(parent)])
    expect(await store.followUp({ limit: 2 })).toBe(true)
    const before = await reread(store, children)
    expect(before.filter(({ job }) => job.cancelled)).toHaveLength(2)

    const [create, drop] = noCancel[store.kind]
    await raw(create)
    await expect(store.followUp({ limit: 2 })).rejects.toThrow(/no cancel/)
    expect(await reread(store, children)).toEqual(before)
    expect(await verify(store)).toEqual([])
    await raw(drop)
    const other = await open()
    await store.close()
    await followUpAll(other, 2)
    expect((await reread(other, children)).filter(({ job }) => job.cancelled)).toHaveLength(5)
    const next = await other.claim(claimOf({ types: ['parent'], now: Date.now() + 1_000 }))
    expect(next.map(({ job }) => [job.id, job.attempt])).toEqual([[parent.job.id, 2]])
    expect(await verify(other)).toEqual([])
  })
})
