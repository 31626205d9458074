import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { newPostgres, setupPostgres, setupSqlite } from '../support/fixture.ts'

const leaseMs = 2_000

/** A worker whose lease the store renews, and what it is told about it. */
async function beating(store: Store, workerId: string, lease = leaseMs) {
  await store.register({ id: workerId, name: 'test', leaseMs: lease })
  const beats: boolean[] = []
  let [wanted, resolve]: [boolean, () => void] = [true, () => {}]
  const stop = store.heartbeat?.({ workerId, leaseMs: lease }, (alive) => {
    beats.push(alive)
    if (alive === wanted) resolve()
  })
  if (stop === undefined) throw new Error('The store has no heartbeat.')
  onTestFinished(stop)
  return {
    beats,
    stop,
    next(alive: boolean): Promise<void> {
      wanted = alive
      return new Promise((done) => {
        resolve = done
      })
    },
  }
}

/** Keeps this thread from doing anything else. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

describe.each([
  ['SQLite', setupSqlite],
  ['PostgreSQL', setupPostgres],
] as const)('a heartbeat on %s', (_, setup) => {
  it('keeps a worker alive while the program is busy for longer than the lease', async () => {
    const { store, open } = await setup()
    const other = await open()
    const { beats, next } = await beating(store, 'w1')
    await next(true)
    block(leaseMs * 2)
    expect(await other.buryLost()).toEqual([])
    await next(true)
    expect(beats).not.toContain(false)
  })

  it('begins though the program is busy from the first moment on', async () => {
    const { store: other, open } = await setup()
    // The thread that beats may run already in a store that another test had.
    const store = await open()
    const { beats, next } = await beating(store, 'w1')
    block(leaseMs * 2)
    expect(await other.buryLost()).toEqual([])
    await next(true)
    expect(beats).not.toContain(false)
  })

  it('tells each worker of a store whether it still lives', async () => {
    const { store, raw } = await setup()
    const [one, two] = await Promise.all([beating(store, 'w1'), beating(store, 'w2')])
    await Promise.all([one.next(true), two.next(true)])

    await raw(`update workers set lost_at = 1 where id = 'w1' returning id`)
    await one.next(false)
    expect(one.beats.at(-1)).toBe(false)
    await two.next(true)
    expect(two.beats).not.toContain(false)
  })

  it('ends with the store, without a word', async () => {
    const { open } = await setup()
    const store = await open()
    const { beats, next } = await beating(store, 'w1')
    await next(true)
    await store.close()
    expect(beats).not.toContain(false)
    expect(() => store.heartbeat?.({ workerId: 'w1', leaseMs }, () => {})).toThrow()
  })
})

describe('a heartbeat on PostgreSQL', () => {
  it('goes on after its connection was ended, and lets it go when the store is closed', async () => {
    const { open, raw } = newPostgres()
    const [store, other] = [await open(), await open()]
    // On a busy machine a thread and two connections may take longer to begin than a short lease.
    const { beats, next } = await beating(store, 'w1', 3 * leaseMs)
    await next(true)
    const [{ schema } = {}] = await raw('select current_schema() as schema')
    const connections = `select pid from pg_stat_activity where query = 'commit /* heartbeat of ${schema} */'`
    expect(await raw(connections)).toHaveLength(1)
    await raw(`select pg_terminate_backend(pid) from (${connections}) as beating`)
    await next(true)
    await next(true)
    expect(beats).not.toContain(false)
    expect(await other.buryLost()).toEqual([])
    await store.close()
    expect(await raw(connections)).toEqual([])
  })
})
