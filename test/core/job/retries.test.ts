import { describe, expect, it } from 'vitest'
import { retryDelayMs } from '../../../src/core/job/backoff.ts'
import { defaultRetry, type Job } from '../../../src/core/job/job.ts'
import { claim, failure, finish, give, queued, running, t0 } from './jobs.ts'

const almostOne = 1 - Number.EPSILON

describe('retryDelayMs', () => {
  it.each([
    [1, 10_000],
    [2, 20_000],
    [3, 40_000],
    [9, 2_560_000],
    [10, 3_600_000],
    [5_000, 3_600_000],
  ])('after charge %i is at most %i ms by default', (charged, longest) => {
    expect(retryDelayMs(defaultRetry, charged, almostOne)).toBe(longest - 1)
    expect(retryDelayMs(defaultRetry, charged, 0.5)).toBe(longest / 2)
    expect(retryDelayMs(defaultRetry, charged, 0)).toBe(0)
  })

  it('is a whole number of milliseconds', () => {
    expect(retryDelayMs({ ...defaultRetry, baseMs: 10, factor: 1.5 }, 2, 0.7)).toBe(10)
  })

  it('does not grow with a factor of one', () => {
    expect(retryDelayMs({ ...defaultRetry, factor: 1 }, 40, 0.5)).toBe(5_000)
  })

  it('is as long before any charge as after the first', () => {
    expect(retryDelayMs(defaultRetry, 0, 0.5)).toBe(5_000)
  })

  it('is none without a base, however often was charged', () => {
    for (const charged of [1, 2, 1_024, 1_025, 5_000]) {
      expect(retryDelayMs({ ...defaultRetry, baseMs: 0 }, charged, 0.5)).toBe(0)
    }
  })
})

describe('retries', () => {
  /** Claims when due and fails, again and again; gives the state after each failure. */
  function failures(first: Job, times: number): readonly Job[] {
    const states: Job[] = []
    let job = first
    for (let i = 1; i <= times; i++) {
      const now = job.scheduledFor
      job = finish(claim(job, now, `token-${i}`), failure(`boom ${i}`, { random: 0.5 }), now).job
      states.push(job)
    }
    return states
  }

  it('end after maxAttempts charged failures, with the last error', () => {
    const states = failures(queued(), 4)
    expect(states.map(({ state }) => state)).toEqual(['error', 'error', 'error', 'final'])
    expect(states.map(({ scheduledFor }, i) => scheduledFor - (states[i - 1]?.scheduledFor ?? t0))).toEqual([
      ...[5_000, 10_000, 20_000, 0],
    ])
    expect(states.at(-1)).toMatchObject({
      attempt: 4,
      charged: 4,
      outcome: 'FAILED',
      error: 'boom 4',
      cancelled: false,
    })
  })

  it('do not happen with one attempt', () => {
    expect(failures(queued({ retry: { ...defaultRetry, maxAttempts: 1 } }), 1)[0]?.state).toBe('final')
  })

  it('back off by what was charged, not by attempts', () => {
    let job = running()
    for (let i = 2; i <= 6; i++) {
      job = claim(give(job, { type: 'giveBack', token: job.token ?? '' }).job, t0, `token-${i}`)
    }
    expect(job).toMatchObject({ attempt: 6, charged: 0 })
    const failed = finish(job, failure('boom', { random: 0.5 })).job
    expect(failed).toMatchObject({ state: 'error', charged: 1, scheduledFor: t0 + 5_000 })
  })

  it('do not happen when they could not begin before the deadline of the job', () => {
    const ending = failure('boom', { random: 0.5 })
    expect(finish(running({ deadlineAt: t0 + 5_000 }), ending).job.state).toBe('final')
    expect(finish(running({ deadlineAt: t0 + 5_001 }), ending).job).toMatchObject({ state: 'error', charged: 1 })
  })
})

describe('snooze', () => {
  const snoozed = { kind: 'snoozed', delayMs: 700, random: 0.5 } as const

  it('asks to be called again, without a charge', () => {
    const { job, events } = finish(running(), snoozed)
    const data = { attempt: 1, reason: 'snoozed', error: 'Snoozed for 700 ms.', charged: false, retryAt: t0 + 700 }
    expect(events).toMatchObject([{ type: 'job.run.failed', data }])
    expect(job).toMatchObject({ state: 'error', phase: 'queued', charged: 0, snoozes: 1, scheduledFor: t0 + 700 })
  })

  it('is charged like a failure once it was done too often', () => {
    const policy = { ...defaultRetry, maxSnoozes: 1, maxAttempts: 2 }
    const once = claim(finish(running({ retry: policy }), snoozed).job, t0 + 700, 'token-2')
    const twice = finish(once, snoozed, t0 + 700).job
    expect(twice).toMatchObject({ state: 'error', charged: 1, snoozes: 1, scheduledFor: t0 + 5_700 })
    expect(twice.error).toBe('The handler snoozed more than 1 times.')
    const thrice = finish(claim(twice, t0 + 5_700, 'token-3'), snoozed, t0 + 5_700).job
    expect(thrice).toMatchObject({ state: 'final', outcome: 'FAILED', charged: 2, snoozes: 1, attempt: 3 })
  })
})
