import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { claimOf } from '../support/requests.ts'
import { Kernel } from './kernel.ts'
import { ModelData } from './model-data.ts'
import { ModelStore } from './model-store.ts'
import { Network, type NetworkOptions, type Partition } from './network.ts'
import { Incarnation } from './virtual-clock.ts'

const start = 1_000_000
const delayMs = [5, 5] as const
const jobId = '00000000-0000-7000-8000-000000000001'
const one = { id: jobId, name: '/test/one', type: 'work' }

/** One process on a network to a model store: what it hears, and what the database has. */
function world(options: NetworkOptions = {}) {
  const kernel = new Kernel(1, start)
  const data = new ModelData()
  const network = new Network(kernel, new ModelStore(data), { delayMs, timeoutMs: 100, ...options })
  const process = new Incarnation(kernel, 'p')
  const store = network.connect(process)
  const heard: string[] = []
  const hear = (what: string) => heard.push(`${what} at ${kernel.now - start}`)
  const jobs = () => data.jobs.size
  const run = (until = Number.MAX_SAFE_INTEGER) => kernel.run({ until })
  return { kernel, network, process, store, heard, hear, jobs, run }
}

/** Submits one job and tells how that ended. */
function submitting({ process, store, hear }: ReturnType<typeof world>): void {
  process.start(async () => {
    try {
      const [result] = await store.submit([one])
      hear(result?.outcome ?? 'nothing')
    } catch (error) {
      hear(error instanceof Error && 'code' in error ? String(error.code) : String(error))
    }
  })
}

async function submitted(options: NetworkOptions, partitions: readonly Partition[] = []) {
  const made = world(options)
  made.network.partitions = partitions
  submitting(made)
  await made.run()
  return { heard: made.heard, jobs: made.jobs() }
}

describe('a call', () => {
  it('takes its way to the database and back', async () => {
    const made = world()
    submitting(made)
    await made.run()
    expect([made.heard, made.jobs()]).toEqual([['created at 10'], 1])
    // Started, arrived, answered: a timeout that is no longer needed is no event.
    expect([made.kernel.steps, made.kernel.now]).toEqual([3, start + 10])
  })

  it('whose request is lost is not done, and times out', async () => {
    expect(await submitted({ rates: { requestLost: 1 } })).toEqual({ heard: ['ETIMEDOUT at 100'], jobs: 0 })
  })

  it('whose reply is lost is done, although it times out', async () => {
    expect(await submitted({ rates: { replyLost: 1 } })).toEqual({ heard: ['ETIMEDOUT at 100'], jobs: 1 })
  })

  it('that arrives late is done after its caller has given up', async () => {
    const late = world({ rates: { lateApply: 1 } })
    submitting(late)
    await late.run(start + 100)
    expect([late.heard, late.jobs()]).toEqual([['ETIMEDOUT at 100'], 0])
    await late.run()
    expect([late.heard, late.jobs()]).toEqual([['ETIMEDOUT at 100'], 1])
  })

  it('that the database ends is not done', async () => {
    expect(await submitted({ rates: { databaseError: 1 } })).toEqual({ heard: ['57P01 at 10'], jobs: 0 })
  })

  it('has each fate as often as its rate says', async () => {
    const { kernel, process, store, run } = world({ rates: { requestLost: 0.1, databaseError: 0.3 } })
    const codes = new Map<string, number>()
    process.start(async () => {
      for (let i = 0; i < 2_000; i++) {
        const code = await store.now().then(
          () => 'ok',
          (error: Error & { code: string }) => error.code,
        )
        codes.set(code, (codes.get(code) ?? 0) + 1)
      }
    })
    await run()
    expect(Math.abs((codes.get('ETIMEDOUT') ?? 0) - 200)).toBeLessThan(60)
    expect(Math.abs((codes.get('57P01') ?? 0) - 600)).toBeLessThan(90)
    expect(kernel.steps).toBeGreaterThan(4_000)
  })

  it('is done at the time of the database, whatever the clock of its caller says', async () => {
    const { process, store, run, heard } = world()
    process.skewMs = 999_999
    process.start(async () => {
      await store.submit([one])
      const [claimed] = await store.claim(claimOf())
      heard.push(`${claimed?.job.createdAt} ${claimed?.job.startedAt} ${await store.now()}`)
    })
    await run()
    expect(heard).toEqual([`${start + 5} ${start + 15} ${start + 25}`])
  })

  it('of a caller that died on the way is done, and nobody hears of it', async () => {
    const made = world()
    submitting(made)
    made.kernel.after(3, 'kill', () => made.process.kill())
    await made.run()
    expect([made.heard, made.jobs()]).toEqual([[], 1])
  })

  it('of a dead caller is not even sent', async () => {
    const { process, store, jobs, run, heard } = world()
    process.start(async () => {
      process.kill()
      await store.submit([one])
      heard.push('answered')
    })
    await run()
    expect([heard, jobs()]).toEqual([[], 0])
  })
})

describe('a paused process', () => {
  it('hears the replies in the order in which they came, once it goes on', async () => {
    const { kernel, process, store, hear, heard, run } = world({ delayMs: [1, 40] })
    const calls = {
      now: () => store.now(),
      find: () => store.find([{ id: jobId }]),
      runs: () => store.runs(jobId),
      events: () => store.events({ limit: 1 }),
      audit: () => store.audit({ after: null, limit: 1 }),
    }
    process.start(async () => {
      await Promise.all(Object.entries(calls).map(([name, call]) => call().then(() => hear(name))))
    })
    kernel.after(1, 'pause', () => process.pause())
    kernel.after(90, 'resume', () => process.resume())
    const came: string[] = []
    const onStep = (label: string) => void came.push(...(/p (\w+) is answered/.exec(label)?.slice(1) ?? []))
    await kernel.run({ until: start + 89, onStep })
    expect(came.toSorted()).toEqual(Object.keys(calls).toSorted())
    expect(came).not.toEqual(Object.keys(calls))
    expect(heard).toEqual([])
    await run()
    expect(heard).toEqual(came.map((name) => `${name} at 90`))
  })

  it('finds a call timed out whose reply came only after that', async () => {
    const made = world({ timeoutMs: 8 })
    submitting(made)
    made.kernel.after(2, 'pause', () => made.process.pause())
    made.kernel.after(50, 'resume', () => made.process.resume())
    await made.run()
    expect([made.heard, made.jobs()]).toEqual([['ETIMEDOUT at 50'], 1])
  })
})

describe('a partition', () => {
  const during = { from: start, to: start + 50 }

  it.each([
    ['both', 'ETIMEDOUT at 100', 0],
    ['requests', 'ETIMEDOUT at 100', 0],
    ['replies', 'ETIMEDOUT at 100', 1],
  ] as const)('of %s', async (way, outcome, jobs) => {
    expect(await submitted({}, [{ ...during, way }])).toEqual({ heard: [outcome], jobs })
    expect(await submitted({}, [{ ...during, way, process: 'p' }])).toEqual({ heard: [outcome], jobs })
    expect(await submitted({}, [{ ...during, way, process: 'q' }])).toEqual({ heard: ['created at 10'], jobs: 1 })
  })

  it('ends at its time', async () => {
    const partition = { from: start + 6, to: start + 10, way: 'both' } as const
    expect(await submitted({}, [partition])).toEqual({ heard: ['created at 10'], jobs: 1 })
    const longer = { ...partition, to: start + 11 }
    expect(await submitted({}, [longer])).toEqual({ heard: ['ETIMEDOUT at 100'], jobs: 1 })
  })
})

describe('the store of a process', () => {
  it('offers the methods of the port and hides what works only in real time', async () => {
    const kernel = new Kernel(1)
    const real = Object.assign(new ModelStore(), { heartbeat: () => () => {}, watch: () => () => {} })
    const network = new Network(kernel, real)
    const store: Store = network.connect(new Incarnation(kernel, 'p'))
    expect(Reflect.get(store, 'heartbeat')).toBeUndefined()
    expect('watch' in store).toBe(false)
    expect(Reflect.get(store, 'then')).toBeUndefined()
    expect([store.kind, 'submit' in store, typeof store.claim]).toEqual(['sqlite', true, 'function'])
    await store.close()
    await expect(store.now()).rejects.toMatchObject({ code: 'store_closed' })
    const other = network.connect(new Incarnation(kernel, 'q'))
    const asked = other.now()
    await kernel.run({ until: Number.MAX_SAFE_INTEGER })
    expect(await asked).toBeGreaterThan(0)
  })

  it('tells of everything that was done, also of what nobody hears of', async () => {
    const told: string[] = []
    const onApplied: NonNullable<NetworkOptions['onApplied']> = ({ process, method, result }) => {
      told.push(`${process} ${method} ${'error' in result ? 'error' : 'value'}`)
    }
    await submitted({ rates: { replyLost: 1 }, onApplied })
    expect(told).toEqual(['p submit value'])
  })
})
