import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StintError } from '../../src/core/errors.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { accepted, newId, setupSqlite, submission, submitOne } from '../support/fixture.ts'
import { RunningProgram } from '../support/processes/run-program.ts'
import { times } from '../support/racing.ts'
import { claimOf } from '../support/requests.ts'

function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stint-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return join(directory, 'stint.db')
}

/** A store, the thread that it started, and the end of that thread. */
async function openWithThread(file = newFile()) {
  const started = new Promise<Worker>((resolve) => process.once('worker', resolve))
  const store = await openSqliteStore({ file })
  onTestFinished(() => store.close())
  const worker = await started
  const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return { store, worker, gone }
}

/** What a call comes to, an error included. */
async function reasonOf(call: Promise<unknown>): Promise<Record<string, unknown>> {
  return await call.then(
    (value) => ({ value }),
    (error: unknown) => error as Record<string, unknown>,
  )
}

describe('errors of a store in a thread', () => {
  it('are StintErrors with all they say, thrown or in a result', async () => {
    const { store } = await setupSqlite()
    const thrown = await reasonOf(store.claim(claimOf({ limit: -1 })))
    expect(thrown).toBeInstanceOf(StintError)
    expect(thrown).toMatchObject({ code: 'invalid_argument', status: 400, details: { field: 'limit' } })
    expect(String(thrown['message'])).toContain('limit must be')
    expect(Object.keys(thrown).sort()).toEqual(
      Object.keys(new StintError('invalid_argument', 'x', { field: 'limit' })).sort(),
    )

    const [good, bad] = await store.submit([submission(), submission({ type: '' })])
    expect(good).toMatchObject({ outcome: 'created' })
    if (bad?.outcome !== 'refused') throw new Error('It was not refused.')
    expect(bad.error).toBeInstanceOf(StintError)
    expect(bad.error).toMatchObject({ code: 'invalid_argument', retryable: false, details: { field: 'type' } })
  })

  it('of SQLite keep their name, their text, their stack and their numbers', async () => {
    const { store, raw } = await setupSqlite()
    await raw(`create trigger no_seat before insert on ready begin select raise(abort, 'no seat'); end`)
    const error = await reasonOf(store.submit([submission()]))
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'Error', message: 'no seat', code: 'ERR_SQLITE_ERROR', errcode: 1811 })
    expect(error['stack']).toContain('sqlite')
  })
})

describe('calls of a store in a thread', () => {
  it('made in the same turn share a commit', async () => {
    const { store, raw } = await setupSqlite()
    await raw('create table parent (id integer primary key) strict')
    await raw('create table child (parent integer references parent (id) deferrable initially deferred) strict')
    await raw(`create trigger poison after insert on ready when new.priority = 666
      begin insert into child values (1); end`)
    // What is wrong shows at the commit, so it fails for all who share it.
    const calls = [submission(), submission({ priority: 666 }), submission()].map((one) => store.submit([one]))
    const reasons = await Promise.all(calls.map(reasonOf))
    expect(reasons.map(({ message }) => message)).toEqual(times(3, () => 'FOREIGN KEY constraint failed'))
    expect((await submitOne(store)).job.version).toBe(1)
  })

  it('travel together, there and back, and are told apart', async () => {
    const { store, worker } = await openWithThread()
    const sent = vi.spyOn(worker, 'postMessage')
    let received = 0
    worker.on('message', () => {
      received += 1
    })
    const given = times(600, () => submission())
    const results = await Promise.all(given.map((one) => store.submit([one])))
    expect(sent).toHaveBeenCalledTimes(1)
    // One for each commit, and no commit is for more than 256.
    expect(received).toBe(3)
    expect(results.map(([result]) => accepted(result).job.id)).toEqual(given.map(({ id }) => id))
    const found = await Promise.all(given.map(({ id }) => store.find([{ id }])))
    expect(found.map(([stored]) => stored?.job.id)).toEqual(given.map(({ id }) => id))
  })

  it('fail alone when their arguments cannot be read, and may have arguments that only look plain', async () => {
    const { store } = await setupSqlite()
    const trap = {
      get id(): string {
        throw new Error('a trap')
      },
    }
    const proxied = submission()
    const calls = [
      store.submit([submission()]),
      store.submit([trap as unknown as ReturnType<typeof submission>]),
      store.submit([new Proxy(proxied, {})], undefined),
    ]
    const [plain, trapped, proxy] = await Promise.all(calls.map(reasonOf))
    expect(plain).toMatchObject({ value: [{ outcome: 'created' }] })
    expect(trapped).toMatchObject({ message: 'a trap' })
    expect(proxy).toMatchObject({ value: [{ outcome: 'created', stored: { job: { id: proxied.id } } }] })
  })
})

describe('the end of a store in a thread', () => {
  it('comes with close: calls made before are answered, later ones refused, and the thread is gone', async () => {
    const { store, gone } = await openWithThread()
    const before = store.submit([submission()])
    const closing = [store.close(), store.close()]
    const after = await reasonOf(store.find([{ id: newId() }]))
    expect(after).toBeInstanceOf(StintError)
    expect(after).toMatchObject({ code: 'store_closed' })
    expect(accepted((await before)[0]).job.version).toBe(1)
    await Promise.all(closing)
    await gone
    await store.close()
    await expect(store.now()).rejects.toMatchObject({ code: 'store_closed' })
    expect(() => store.watch?.(() => {})).toThrow(StintError)
  })

  it('may come unexpectedly: calls under way and later ones are refused, heartbeats say so', async () => {
    const { store, worker } = await openWithThread()
    await store.register({ id: 'w1', name: 'w', leaseMs: 600_000 })
    const beats: boolean[] = []
    await new Promise<void>((resolve) => {
      const onBeat = (alive: boolean) => {
        beats.push(alive)
        resolve()
      }
      store.heartbeat?.({ workerId: 'w1', leaseMs: 600_000 }, onBeat)
    })
    const underWay = times(3, () => store.submit([submission()]))
    void worker.terminate()
    for (const call of underWay) {
      const error = await reasonOf(call)
      if ('value' in error) continue
      expect(error).toBeInstanceOf(StintError)
      expect(error).toMatchObject({ code: 'store_closed', message: expect.stringContaining('thread') })
    }
    await expect(store.now()).rejects.toMatchObject({ code: 'store_closed', message: expect.stringContaining('again') })
    expect(beats).toEqual([true, false])
    await store.close()
  })

  it('does not have to come: a program that has nothing more to do ends', async () => {
    const program = new RunningProgram('leave-open', { database: { file: newFile() }, name: 'leaver', count: 1 })
    expect(await program.finished()).toEqual(['created'])
  })
})

describe('a database that cannot be opened in a thread', () => {
  async function refusal(file: string): Promise<Record<string, unknown>> {
    const started = new Promise<Worker>((resolve) => process.once('worker', resolve))
    const opening = openSqliteStore({ file })
    const gone = started.then((worker) => new Promise((resolve) => worker.once('exit', resolve)))
    const reason = await reasonOf(opening as Promise<Store>)
    await gone
    return reason
  }

  it('is refused with the reason, and the thread is gone', async () => {
    const file = newFile()
    expect(await refusal(join(file, 'nowhere', 'x.db'))).toMatchObject({ code: 'ERR_SQLITE_ERROR', errcode: 14 })
    writeFileSync(file, 'This is not a database, but long enough to look like one at first. '.repeat(100))
    expect(await refusal(file)).toMatchObject({ code: 'ERR_SQLITE_ERROR', errcode: 26 })
  })

  it('is refused with its code when it was made by a newer version', async () => {
    const file = newFile()
    const store = await openSqliteStore({ file })
    await store.close()
    const db = new DatabaseSync(file)
    db.exec(`insert into migrations values (9999, 'future', 'x', 0)`)
    db.close()
    const reason = await refusal(file)
    expect(reason).toBeInstanceOf(StintError)
    expect(reason).toMatchObject({ code: 'schema_newer' })
  })
})
