import { expect, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { split } from '../contract/shards.ts'
import { newPostgres, submission } from '../support/fixture.ts'
import { claimOf, claimOne } from '../support/requests.ts'

const functions = `select proname as name from pg_proc where pronamespace = current_schema()::regnamespace
  and proname like 'fast_%' order by 1`

it('statements of the hot path become functions once', async () => {
  const { open, raw } = newPostgres()
  await open()
  const made = await raw(functions)
  expect(made).toHaveLength(24)
  await open()
  expect(await raw(functions)).toEqual(made)
})

it('each says every way in which it may be planned: one that a program calls does not get those of the program', async () => {
  const { open, raw } = newPostgres()
  await open()
  const settings = await raw(`select cardinality(array(
      select 1 from unnest(proconfig) as setting where setting ~ '^enable_(seqscan|bitmapscan|mergejoin|hashjoin|nestloop)='
    )) as said from pg_proc where pronamespace = current_schema()::regnamespace and proname like 'fast_%'`)
  expect(new Set(settings.map(({ said }) => Number(said)))).toEqual(new Set([5]))
})

it('a role that may make nothing in the schema sends the text instead', async () => {
  const { open, raw, place } = newPostgres()
  await open()
  for (const { name } of await raw(functions)) await raw(`drop function ${name}`)
  const role = `guest_${place.schema}`
  onTestFinished(async () => {
    await raw(`drop owned by ${role}; drop role ${role}`)
  })
  await raw(`create role ${role} login; grant usage on schema ${place.schema} to ${role};
    grant all on all tables in schema ${place.schema} to ${role};
    grant all on all sequences in schema ${place.schema} to ${role}`)
  const url = new URL(place.url)
  url.username = role
  const store = await openPostgresStore({ url: url.href, schema: place.schema ?? '' })
  onTestFinished(() => store.close())
  await store.submit([submission()])
  const { done } = await store.complete([{ job: await claimOne(store), result: '1' }])
  expect(done).toEqual([true])
  const whole = await split(store, 8)
  const tasks = await store.claim(claimOf({ token: 'tasks' }))
  expect((await store.complete(tasks.map((job) => ({ job, result: '1' })))).done).toEqual([true, true, true])
  expect(await store.control('shard.get', { job: whole.job.id })).toMatchObject({ opened: 6, done: 3 })
  expect(await raw(functions)).toEqual([])
})
