import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../src/core/job/awaits.ts'
import type { Ending } from '../../src/core/job/commands.ts'
import { openSqliteStoreHere } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { finish } from '../support/requests.ts'
import { Kernel } from './kernel.ts'
import { ModelStore } from './model-store.ts'
import { Network } from './network.ts'
import type { Random } from './random.ts'
import { Incarnation } from './virtual-clock.ts'

const start = 1_800_000_000_000
const seeds = [1, 2, 3]
const rates = { requestLost: 0.03, replyLost: 0.05, lateApply: 0.03, databaseError: 0.03 }

/** A little cluster without an engine: submitters and workers that go on whatever happens to their calls. */
async function simulate(seed: number, store: Store) {
  const kernel = new Kernel(seed, start)
  const network = new Network(kernel, store, {
    rates,
    onApplied: ({ process, method, result }) => kernel.note(`${process} ${method} ${told(result)}`),
  })
  network.partitions = [{ from: start + 2_000, to: start + 4_000, process: 'worker 1', way: 'replies' }]
  for (const name of ['submitter 1', 'submitter 2']) run(name, submitForEver)
  for (const name of ['worker 1', 'worker 2', 'worker 3']) run(name, workForEver)

  function run(name: string, main: typeof submitForEver): void {
    const process = new Incarnation(kernel, name, kernel.random.fork(`skew ${name}`).between(-500, 500))
    process.start(() => main(process, network.connect(process), kernel.random.fork(name)))
    disturb(kernel, process, () => run(name, main))
  }

  await kernel.run({ until: start + 10_000 })
  const { jobs } = await store.audit({ after: null, limit: 10_000 })
  const ends = new Set(jobs.map(({ stored: { job } }) => (job.cancelled ? 'cancelled' : (job.outcome ?? job.phase))))
  return { hash: kernel.hash, steps: kernel.steps, ends, differences: await verify(store) }
}

/** Kills or pauses the process now and then. */
function disturb(kernel: Kernel, process: Incarnation, startAgain: () => void): void {
  const random = kernel.random.fork(`disturb ${process.name} ${kernel.now}`)
  kernel.after(random.between(100, 8_000), `${process.name} is disturbed`, () => {
    const downMs = random.between(10, 2_000)
    if (random.chance(0.5)) {
      process.kill()
      kernel.after(downMs, `${process.name} is started again`, startAgain)
    } else {
      process.pause()
      kernel.after(downMs, `${process.name} is resumed`, () => process.resume())
    }
  })
}

async function submitForEver({ name, clock }: Incarnation, store: Store, random: Random): Promise<void> {
  const ids: string[] = []
  for (;;) {
    await clock.sleep(random.between(1, 300))
    const submissions = Array.from({ length: random.between(1, 3) }, () => ({
      id: random.uuid(clock.now()),
      name: `/test/job-${random.between(1, 30)}`,
      type: random.pick(['a', 'b']),
      key: random.chance(0.2) ? `k${random.between(1, 3)}` : null,
      priority: random.between(0, 2),
      scheduledFor: clock.now() + random.between(0, 400),
      onConflict: random.pick(['error', 'keep', 'skip', 'replace'] as const),
      retry: { baseMs: 50, maxAttempts: 2 },
    }))
    await store.submit(submissions).catch(() => {})
    ids.push(...submissions.map(({ id }) => id))
    const job = random.pick(ids) ?? ''
    if (random.chance(0.1)) await store.apply([{ job, command: { type: 'cancel', reason: 'test' } }]).catch(() => {})
    const event = { namespace: 'test', source: name, id: `${random.between(1, 50)}`, type: 'paid' }
    await store.append([{ ...event, jobId: random.pick(ids.slice(-5)) ?? '' }]).catch(() => {})
  }
}

async function workForEver({ name, clock }: Incarnation, store: Store, random: Random): Promise<void> {
  for (;;) {
    await clock.sleep(random.between(1, 100))
    const request = { workerId: name.replace(' ', '-'), token: random.uuid(clock.now()), types: ['a', 'b'], limit: 3 }
    const claimed = await store.claim(request).catch(() => [])
    for (const job of claimed) {
      await clock.sleep(random.between(0, 50))
      await store.apply([finish(job, endingFrom(random))]).catch(() => {})
    }
  }
}

const paid = { eventType: 'paid', match: {}, times: 1, taskId: null }

function endingFrom(random: Random): Ending {
  return random.pick<Ending>([
    { kind: 'completed', resultDigest: null },
    { kind: 'suspended', awaits: newAwaits([paid], ['refused']), until: null },
    { kind: 'failed', error: 'boom', terminal: random.chance(0.3), random: random.float() },
    { kind: 'snoozed', delayMs: random.between(0, 200), random: random.float() },
  ])
}

/** An answer as text, whatever the order of names in its objects; errors by their code. */
function told(result: object): string {
  return JSON.stringify(result, (_, value: unknown) => {
    if (value instanceof Error) return 'code' in value ? value.code : value.message
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

async function onSqlite(seed: number) {
  const store = await openSqliteStoreHere({ file: ':memory:' })
  try {
    return await simulate(seed, store)
  } finally {
    await store.close()
  }
}

describe('the same seed', () => {
  it.each(seeds)('gives the same run again, on the model and on SQLite, answer for answer, seed %i', async (seed) => {
    const model = await simulate(seed, new ModelStore())
    // Without this a run in which every call was refused would be the same again, too.
    expect([...model.ends]).toEqual(expect.arrayContaining(['COMPLETED', 'FAILED', 'SKIPPED', 'cancelled', 'running']))
    expect(model.differences).toEqual([])
    expect(await simulate(seed, new ModelStore())).toEqual(model)
    const sqlite = await onSqlite(seed)
    expect(await onSqlite(seed)).toEqual(sqlite)
    expect(sqlite).toEqual(model)
  })
})
