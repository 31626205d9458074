import { describe, expect, it } from 'vitest'
import { StintError } from '../../src/core/errors.ts'
import type { Ending } from '../../src/core/job/commands.ts'
import { step } from '../../src/core/job/decide.ts'
import { type Job, lateFrom, seatOf } from '../../src/core/job/job.ts'
import { digestOf } from '../../src/store/digest.ts'
import type { ApplyRequest, Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, codeOf, type Setup, submission } from '../support/fixture.ts'
import { claimOf } from '../support/requests.ts'

const seeds = [1, 2, 3, 4]
const opsPerSeed = 60

/** A store against the rule book in memory: the same commands give the same jobs, refusals and order of claims. */
export function modelContract(setup: Setup): void {
  describe('against the model', () => {
    it.each(seeds)('does what the core decides, seed %i', async (seed) => {
      const { store } = await setup()
      const run = new Comparison(store, seed)
      for (let i = 0; i < opsPerSeed; i++) await run.next()
      await run.compareAll()
      expect(await verify(store)).toEqual([])
    })
  })
}

class Comparison {
  readonly #store: Store
  readonly #jobs = new Map<string, Job>()
  readonly #tokens: string[] = ['never']
  #seed: number
  #now = 1_000

  constructor(store: Store, seed: number) {
    this.#store = store
    this.#seed = seed
  }

  async next(): Promise<void> {
    this.#now += this.#below(3) === 0 ? this.#below(20_000) : this.#below(50)
    const kind = this.#below(10)
    if (kind < 3) await this.#submit()
    else if (kind < 5) await this.#claim()
    else await this.#apply()
  }

  async compareAll(): Promise<void> {
    const ids = [...this.#jobs.keys()]
    const found = await this.#store.find(ids.map((id) => ({ id })))
    expect(found.map((stored) => stored?.job)).toEqual([...this.#jobs.values()])
  }

  async #submit(): Promise<void> {
    const batch = Array.from({ length: 1 + this.#below(4) }, () =>
      submission({
        type: this.#pick(['a', 'b']),
        priority: this.#below(3) - 1,
        scheduledFor: this.#now + this.#pick([0, 0, 0, 500, 5_000]),
        timeoutMs: this.#pick([null, null, 100]),
        expiresAt: this.#pick([null, null, this.#now + 2_000]),
        deadlineAt: this.#pick([null, null, null, this.#now + 30_000]),
        retry: { maxAttempts: 1 + this.#below(3), baseMs: 200, maxSnoozes: 1 },
      }),
    )
    for (const result of await this.#store.submit(batch, { now: this.#now })) {
      const { job } = accepted(result)
      const { state: _, ...spec } = job
      const made = step(null, { type: 'submit', spec: specOf(spec), pending: false, skip: null }, this.#now)
      expect(job).toEqual(made.job)
      this.#jobs.set(job.id, made.job)
    }
  }

  async #claim(): Promise<void> {
    const types = this.#pick([['a'], ['b'], ['a', 'b']])
    const token = `token-${this.#tokens.length}`
    this.#tokens.push(token)
    const request = claimOf({ types, token, limit: 1 + this.#below(4), now: this.#now })
    const expected = this.#firstReady(types, request.limit)
    const claimed = await this.#store.claim(request)
    expect(claimed.map(({ job }) => job.id)).toEqual(expected.map(({ id }) => id))
    for (const { job } of claimed) {
      const before = this.#jobs.get(job.id) ?? null
      const made = step(before, { type: 'claim', workerId: request.workerId, token }, this.#now)
      expect(job).toEqual(made.job)
      this.#jobs.set(job.id, made.job)
    }
  }

  /** The order of the queue, said once more and plainly. One suspect at the most. */
  #firstReady(types: readonly string[], limit: number): readonly Job[] {
    const inOrder = [...this.#jobs.values()]
      .filter((job) => seatOf(job, this.#now) === 'ready' && types.includes(job.type))
      .filter((job) => (lateFrom(job) ?? Number.POSITIVE_INFINITY) > this.#now)
      .sort((a, b) => b.priority - a.priority || a.position - b.position)
    const suspects = inOrder.filter((job) => job.suspect).slice(0, 1)
    return inOrder.filter((job) => !job.suspect || suspects.includes(job)).slice(0, limit)
  }

  async #apply(): Promise<void> {
    const jobs = [...this.#jobs.values()]
    if (jobs.length === 0) return
    const requests = Array.from({ length: 1 + this.#below(4) }, () => this.#request(this.#pick(jobs)))
    const results = await this.#store.apply(requests, { now: this.#now })
    for (const [i, { job: id, command }] of requests.entries()) {
      const before = this.#jobs.get(String(id)) ?? null
      try {
        const made = step(before, command, this.#now)
        expect([command.type, codeOf(results[i])]).toEqual([command.type, 'ok'])
        this.#jobs.set(made.job.id, made.job)
      } catch (error) {
        if (!(error instanceof StintError)) throw error
        expect([command.type, codeOf(results[i])]).toEqual([command.type, error.code])
      }
    }
    await this.compareAll()
  }

  #request({ id, token }: Job): ApplyRequest {
    const held = this.#below(5) === 0 ? this.#pick(this.#tokens) : (token ?? 'none')
    const random = this.#below(100) / 100
    const result = this.#pick([null, '1', '{"a":[]}'])
    const completed = { kind: 'completed', resultDigest: digestOf(result) } as const
    const endings: readonly Ending[] = [
      completed,
      completed,
      { kind: 'failed', error: 'boom', terminal: false, random },
      { kind: 'failed', error: '', terminal: true, random },
      { kind: 'snoozed', delayMs: 100, random },
      { kind: 'suspended', awaits: null, until: this.#now + 400 },
      { kind: 'cancelled' },
    ]
    const commands: readonly ApplyRequest['command'][] = [
      { type: 'finish', token: held, ending: this.#pick(endings) },
      { type: 'finish', token: held, ending: this.#pick(endings) },
      { type: 'finish', token: held, ending: this.#pick(endings) },
      { type: 'giveBack', token: held },
      { type: 'lose', token: held, random, alone: random < 0.5 },
      { type: 'elapse', random },
      { type: 'cancel', reason: 'test' },
      { type: 'skip', reason: 'test', cancelled: random > 0.5 },
      { type: 'release' },
      { type: 'answer', answer: completed },
      { type: 'edit', changes: { priority: this.#below(5), scheduledFor: this.#now + this.#below(300) } },
      { type: 'edit', changes: {} },
    ]
    return { job: id, command: this.#pick(commands), result }
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T
  }

  /** A small generator of its own: a seed gives the same run on every machine. */
  #below(limit: number): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#seed / 2 ** 32) * limit)
  }
}

function specOf(job: Omit<Job, 'state'>) {
  const { version, phase, attempt, charged, snoozes, suspect, error, outcome, cancelled, resultDigest, ...rest } = job
  const {
    cancelRequestedAt,
    cancelReason,
    token,
    workerId,
    attemptDeadlineAt,
    createdAt,
    queuedAt,
    startedAt,
    ...spec
  } = rest
  const { finishedAt, updatedAt, ...bare } = spec
  return bare
}
