import { describe, expect, it } from 'vitest'
import type { Ending } from '../../src/core/job/commands.ts'
import type { ApplyRequest, Store, StoredJob, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { followUpAll, parentOf } from '../support/children.ts'
import { codeOf, type Setup, submission } from '../support/fixture.ts'
import { allJobs, openStores, times } from '../support/racing.ts'
import { claimOf, completion, finish } from '../support/requests.ts'

const lanes = 3
const stepsPerLane = 25
const endings: readonly Ending[] = [
  { kind: 'completed', resultDigest: null },
  { kind: 'failed', error: 'boom', terminal: false, random: 0 },
  { kind: 'failed', error: 'boom', terminal: true, random: 0 },
  { kind: 'snoozed', delayMs: 0, random: 0 },
  { kind: 'suspended', awaits: null, until: 0 },
  { kind: 'cancelled' },
]

/** One process that works, submits jobs of its attempts, cancels, and does upkeep, as chance has it. */
class Lane {
  readonly #store: Store
  readonly #name: string
  readonly #held: StoredJob[] = []
  #seed: number
  #claims = 0

  constructor(store: Store, name: string, seed: number) {
    this.#store = store
    this.#name = name
    this.#seed = seed
  }

  async run(): Promise<void> {
    for (let i = 0; i < stepsPerLane; i++) await this.#step()
  }

  async #step(): Promise<void> {
    const steps: readonly (() => Promise<unknown>)[] = [
      () => this.#claim(),
      () => this.#claim(),
      () => this.#submit(null),
      () => this.#submit(this.#pick(this.#held)),
      () => this.#submit(this.#pick(this.#held)),
      () => this.#end(),
      () => this.#end(),
      () => this.#command('cancel'),
      () => this.#command('elapse'),
      () => this.#store.followUp({ limit: 2 }),
      () => this.#store.followUp({ limit: 2 }),
      () => this.#store.cancelBranch({ name: `/test/n${this.#below(4)}`, reason: 'storm' }),
    ]
    await this.#pick(steps)?.()
  }

  async #claim(): Promise<void> {
    const token = `${this.#name}-${this.#claims++}`
    this.#held.push(...(await this.#store.claim(claimOf({ token, limit: 2, suspectLimit: 2, now: soon() }))))
  }

  async #submit(parent: StoredJob | undefined | null): Promise<void> {
    const name = `/test/n${this.#below(4)}${this.#below(2) === 0 ? '' : `/m${this.#below(3)}`}`
    const fields: Partial<Submission> = {
      name,
      parent: parent ? parentOf(parent) : null,
      onConflict: this.#pick(['replace', 'keep', 'skip'] as const) ?? 'keep',
      retry: { baseMs: 0, maxAttempts: 3, maxSnoozes: 1 },
      scheduledFor: 0,
    }
    for (const result of await this.#store.submit([submission(fields)])) {
      expect(['created', 'kept', 'skipped', 'stale_token']).toContain(codeOf(result))
    }
  }

  async #end(): Promise<void> {
    const job = this.#held.splice(this.#below(this.#held.length), 1)[0]
    const ending = this.#pick(endings)
    if (job === undefined || ending === undefined) return
    const [result] = await this.#store.apply([finish(job, ending)])
    expect(['ok', 'stale_token']).toContain(codeOf(result))
  }

  async #command(type: 'cancel' | 'elapse'): Promise<void> {
    const { jobs } = await this.#store.list({ limit: 20 })
    const job = this.#pick(jobs)?.job.id
    if (job === undefined) return
    const command: ApplyRequest['command'] =
      type === 'cancel' ? { type, reason: 'storm' } : { type: 'elapse', random: 0 }
    expect((await this.#store.apply([{ job, command }])).map(codeOf)).toEqual(['ok'])
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[this.#below(items.length)]
  }

  #below(limit: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#seed / 2 ** 32) * limit)
  }
}

const soon = () => Date.now() + 60_000

/** Brings all to an end: those that run complete, those that wait are answered. Fails if anything never comes to its turn. */
async function drain(store: Store): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    await followUpAll(store)
    const { attempts } = await store.orphans({ after: null, limit: 1_000 })
    const running = await store.find(attempts.map(({ jobId }) => ({ id: jobId })))
    await store.apply(running.flatMap((job) => (job === null ? [] : [completion(job)])))
    const awaiting = (await allJobs(store)).filter(({ job }) => job.phase === 'awaiting')
    const answer = { kind: 'completed', resultDigest: null } as const
    await store.apply(awaiting.map(({ job }) => ({ job: job.id, command: { type: 'answer', answer } })))
    const claimed = await store.claim(claimOf({ token: `drain-${turn}`, limit: 100, suspectLimit: 100, now: soon() }))
    if (claimed.length + running.length + awaiting.length === 0) return
  }
}

export function childrenStorm(setup: Setup): void {
  describe('a storm of jobs that submit, fail, replace and cancel each other', () => {
    it.each([1, 2])('leaves every job derivable from its events, and none waiting for ever, seed %i', async (seed) => {
      const fixture = await setup()
      const stores = await openStores(fixture, lanes)
      const running = times(lanes, (i) => new Lane(stores[i] as Store, `l${i}`, 97 * seed + i))
      await Promise.all(running.map((lane) => lane.run()))
      expect(await verify(fixture.store)).toEqual([])
      await drain(fixture.store)
      const left = (await allJobs(fixture.store)).filter(({ job }) => job.state !== 'final')
      expect(left.map(({ job }) => [job.phase, job.state])).toEqual([])
      expect(await fixture.raw('select * from waits')).toEqual([])
      expect(await verify(fixture.store)).toEqual([])
    })
  })
}
