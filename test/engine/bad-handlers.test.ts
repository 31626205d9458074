import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { counted, gate, onBothStores, startWorker, until } from '../support/stint.ts'

/** Keeps this thread from doing anything else. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const cycle: { self?: object } = {}
cycle.self = cycle

const trap = new Proxy(
  {},
  {
    getPrototypeOf() {
      throw new Error('trapped')
    },
  },
)

class Strange extends Error {
  override get message(): string {
    throw new Error('no message for you')
  }
}

/** What handlers throw, and what their job says of it. */
const thrown: readonly (readonly [what: string, value: unknown, error: RegExp | string])[] = [
  ['nothing', undefined, 'Thrown: undefined'],
  ['a text', 'plain', 'plain'],
  ['an empty text', '', 'The handler failed without a message.'],
  ['a NUL', 'a\0b', 'a\ufffdb'],
  ['half a character', '\ud800', '\ufffd'],
  ['a number', 5, 'Thrown: 5'],
  ['a symbol', Symbol('s'), 'Thrown: Symbol(s)'],
  ['a big integer in an object', { n: 1n }, 'The handler threw what cannot be shown.'],
  ['a cycle', cycle, 'The handler threw what cannot be shown.'],
  ['an error without a message', new TypeError(), 'TypeError'],
  ['an error whose message is no text', Object.assign(new Error('x'), { message: { a: 1 } }), 'Thrown: {"a":1}'],
  ['an error whose message throws', new Strange(), 'The handler threw what cannot be shown.'],
  ['a proxy that refuses everything', trap, 'The handler threw what cannot be shown.'],
  ['ten megabytes', new Error('x'.repeat(10_000_000)), /^x+… \(cut, 10000000 characters\)$/],
]

/** What handlers return though nothing can keep it, and the words in the error. */
const returned: readonly (readonly [what: string, value: unknown, error: RegExp])[] = [
  ['a big integer', 5n, /result cannot be stored: JSON cannot hold a bigint/],
  ['a function', { f: () => 1 }, /result\.f cannot be stored/],
  ['a cycle', cycle, /result.* (too large|nested deeper)/],
  ['a NUL', ['a\0'], /result\[0\] cannot be stored: text must not contain NUL/],
  ['ten megabytes', 'x'.repeat(10_000_000), /result is too large/],
]

onBothStores('bad handlers', (setup) => {
  it('whatever is thrown becomes an error, and the others go on', async () => {
    const { stint } = await setup()
    const run = ({ params }: { params: number }) => {
      throw thrown[params]?.[1]
    }
    const bad = defineJob('bad', { retry: { maxAttempts: 1 }, run })
    const good = defineJob('good', { run: () => 'fine' })
    await startWorker(stint, { jobs: [bad, good] })
    const jobs = await Promise.all(thrown.map((_, i) => stint.submit(bad, i)))
    const fine = await stint.submit(good)
    const ends = await Promise.allSettled(jobs.map((job) => job.result()))
    for (const [i, [what, , error]] of thrown.entries()) {
      expect(ends[i], what).toMatchObject({ status: 'rejected', reason: { code: 'job_failed' } })
      const job = await stint.jobs.get(jobs[i]?.id ?? '')
      if (typeof error === 'string') expect(job?.error, what).toBe(error)
      else expect(job?.error, what).toMatch(error)
    }
    expect(await fine.result()).toBe('fine')
    expect(await stint.verify()).toEqual({ differences: [] })
  })

  it('a result that cannot be kept fails its job for good; undefined is no result', async () => {
    const { stint } = await setup()
    const run = ({ params }: { params: number }) => returned[params]?.[1]
    const bad = defineJob('bad', { run })
    await startWorker(stint, { jobs: [bad] })
    for (const [i, [what, , error]] of returned.entries()) {
      const job = await stint.submit(bad, i)
      const end = await job.result().catch((reason: unknown) => reason)
      expect(end, what).toMatchObject({ code: 'job_failed', details: { attempt: 1 } })
      expect(String(end), what).toMatch(error)
    }
    expect(await (await stint.submit(bad, -1)).result()).toBeNull()
  })

  it('a handler that never settles ends with its time, and frees its slot after the grace time', async () => {
    const { stint } = await setup()
    const started = gate()
    const never = defineJob('never', {
      timeoutMs: 30,
      retry: { maxAttempts: 1 },
      run: () => {
        started.resolve()
        return new Promise(() => {})
      },
    })
    const good = defineJob('good', { run: () => 'fine' })
    const worker = await startWorker(stint, { jobs: [never, good], concurrency: 1, cancelGraceMs: 20 })
    const stuck = await stint.submit(never)
    await started.promise
    const fine = await stint.submit(good)
    await expect(stuck.result()).rejects.toMatchObject({ code: 'job_failed', message: /ran out of time/ })
    expect(await fine.result()).toBe('fine')
    await until(
      () => worker.heldCount,
      (held) => held === 0,
    )
    expect(counted(stint, 'stint_attempts_abandoned')).toBe(1)
  })

  it('a handler that blocks for longer than the lease does not lose it', async () => {
    const { stint, place } = await setup({ threaded: true })
    const blocking = defineJob('blocking', {
      run: ({ attempt }) => {
        block(2_600)
        return attempt
      },
    })
    const gravedigger = new Worker(new URL('../support/threads/bury-lost.ts', import.meta.url), { workerData: place })
    onTestFinished(() => gravedigger.terminate().then(() => {}))
    await once(gravedigger, 'message')
    // It is there before the worker is: the handler blocks from the first moment on.
    const job = await stint.submit(blocking)
    const worker = await startWorker(stint, { jobs: [blocking], leaseMs: 2_000 })
    const { id } = worker
    expect(await job.result()).toBe(1)
    expect(worker.id).toBe(id)
    const found = once(gravedigger, 'message')
    gravedigger.postMessage('how many?')
    expect(await found).toEqual([0])
  })
})
