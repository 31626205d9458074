import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { newId, newPostgres, setupPostgres, setupSqlite, submission, submitOne } from '../support/fixture.ts'
import { claimOne, completion } from '../support/requests.ts'

/** What a watcher hears, to be waited for. */
function watching(store: Store) {
  let [heard, resolve]: [number, () => void] = [0, () => {}]
  const stop = store.watch?.(() => {
    heard += 1
    resolve()
  })
  if (stop === undefined) throw new Error('The store cannot be watched.')
  onTestFinished(stop)
  return {
    stop,
    /** Repeats an action until the watcher hears something after it. */
    async hearsAfter(action: () => Promise<unknown>): Promise<void> {
      const before = heard
      const next = new Promise<void>((done) => {
        resolve = done
      })
      await action()
      if (heard === before) await next
    },
  }
}

describe.each([
  ['SQLite', setupSqlite],
  ['PostgreSQL', setupPostgres],
] as const)('who watches on %s', (_, setup) => {
  it('hears when another process submits, finishes or records, whoever else watches', async () => {
    const { store, open } = await setup()
    const other = await open()
    const [one, two] = [watching(store), watching(store)]
    // Watching begins in the thread of the store; what it answers next, it answers after that.
    await store.runs(newId())
    const submitted = [one, two].map((watcher) => watcher.hearsAfter(() => submitOne(other)))
    await Promise.all(submitted)
    const claimed = await claimOne(other)
    await one.hearsAfter(() => other.apply([completion(claimed)]))
    two.stop()
    two.stop()
    await one.hearsAfter(() => other.append([{ namespace: 'test', source: 's', id: '1', type: 'paid' }]))
  })

  it('cannot watch a store that was closed', async () => {
    const { open } = await setup()
    const store = await open()
    watching(store)
    await store.close()
    expect(() => store.watch?.(() => {})).toThrow(expect.objectContaining({ code: 'store_closed' }))
  })
})

describe('who watches', () => {
  it('a database in memory hears nothing, because nobody else can change it', async () => {
    const store = await openSqliteStore({ file: ':memory:' })
    onTestFinished(() => store.close())
    const stop = store.watch?.(() => expect.unreachable())
    await store.submit([submission()])
    stop?.()
  })

  it('PostgreSQL hears of changes again after its connection was ended', async () => {
    const { open, raw } = newPostgres()
    const [store, other] = [await open(), await open()]
    const watcher = watching(store)
    await watcher.hearsAfter(() => submitOne(other))
    const [{ schema } = {}] = await raw('select current_schema() as schema')
    const listeners = `select pid from pg_stat_activity where query = 'listen "stint_${schema}"'`
    expect(await raw(listeners)).toHaveLength(1)
    // It hears once when it listens again, and then of changes as before.
    await watcher.hearsAfter(() => raw(`select pg_terminate_backend(pid) from (${listeners}) as listening`))
    await watcher.hearsAfter(() => submitOne(other))
    await store.close()
    expect(await raw(listeners)).toEqual([])
  })
})
