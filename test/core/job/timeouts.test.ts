import { describe, expect, it } from 'vitest'
import type { Job } from '../../../src/core/job/job.ts'
import { awaiting, factsOf, failedOnce, give, pending, queued, running, submit, t0 } from './jobs.ts'

function elapse(job: Job, now: number) {
  return give(job, { type: 'elapse', random: 0.5 }, now)
}

describe('expiresAt', () => {
  it.each([
    ['pending', pending({ expiresAt: t0 + 100 })],
    ['queued', queued({ expiresAt: t0 + 100 })],
  ])('skips a job that is still %s', (_where, job) => {
    expect(elapse(job, t0 + 99).events).toEqual([])
    const { job: after, events } = elapse(job, t0 + 100)
    expect(factsOf(events)).toEqual([{ type: 'job.run.skipped', data: { reason: 'expired', cancelled: false } }])
    expect(after).toMatchObject({ state: 'final', outcome: 'SKIPPED', error: 'expired', cancelled: false, attempt: 0 })
  })

  it('is about waiting for the first attempt only', () => {
    expect(elapse(running({ expiresAt: t0 + 100 }), t0 + 100).events).toEqual([])
    expect(elapse(failedOnce({ expiresAt: t0 + 100 }), t0 + 100).events).toEqual([])
  })
})

describe('the timeout of an attempt', () => {
  it('fails the attempt, charged, with another to follow', () => {
    const job = running({ timeoutMs: 100 })
    expect(elapse(job, t0 + 99).events).toEqual([])
    const { job: after, events } = elapse(job, t0 + 100)
    const error = 'Attempt 1 ran out of time.'
    const data = { attempt: 1, reason: 'timeout', error, charged: true, retryAt: t0 + 5_100 }
    expect(factsOf(events)).toEqual([{ type: 'job.run.failed', data }])
    expect(after).toMatchObject({ state: 'error', charged: 1, attemptDeadlineAt: null, scheduledFor: t0 + 5_100 })
  })

  it('is that of the wait for an attempt that waits without a worker', () => {
    const job = awaiting(null, { timeoutMs: 100 }, t0 + 500)
    expect(job.attemptDeadlineAt).toBe(t0 + 500)
    expect(elapse(job, t0 + 499).events).toEqual([])
    expect(elapse(job, t0 + 500).events).toMatchObject([{ data: { reason: 'timeout', charged: true } }])
  })

  it('does not end a wait that has no end', () => {
    expect(elapse(awaiting(null, { timeoutMs: 100 }), t0 + 1_000_000).events).toEqual([])
  })
})

describe('the deadline of a job', () => {
  const deadlineAt = t0 + 100

  it.each([
    ['pending', pending({ deadlineAt })],
    ['queued', queued({ deadlineAt, expiresAt: t0 + 50 })],
  ])('skips a job that is still %s', (_where, job) => {
    const { job: after, events } = elapse(job, deadlineAt)
    expect(factsOf(events)).toEqual([{ type: 'job.run.skipped', data: { reason: 'deadline', cancelled: false } }])
    expect(after).toMatchObject({ state: 'final', outcome: 'SKIPPED' })
  })

  it.each([
    ['running', running({ deadlineAt, timeoutMs: 50 })],
    ['awaiting', awaiting(null, { deadlineAt })],
  ])('fails a job that is %s for good', (_where, job) => {
    const { job: after, events } = elapse(job, deadlineAt)
    const data = { attempt: 1, reason: 'timeout', error: 'The job ran out of time.', charged: true, retryAt: null }
    expect(factsOf(events)).toEqual([{ type: 'job.run.failed', data }])
    expect(after).toMatchObject({ state: 'final', outcome: 'FAILED', charged: 1, cancelled: false })
  })

  it('ends a job between two attempts; its last run stays the last', () => {
    const job = failedOnce({ deadlineAt })
    expect(elapse(job, deadlineAt - 1).events).toEqual([])
    const { job: after, events } = elapse(job, deadlineAt)
    expect(factsOf(events)).toEqual([{ type: 'job.expired', data: { reason: 'deadline' } }])
    expect(after).toMatchObject({ state: 'final', outcome: 'FAILED', cancelled: false, error: 'boom', charged: 1 })
  })

  it('means nothing to a job that is over', () => {
    const { job } = submit({ deadlineAt, expiresAt: t0 }, { skip: 'x' })
    expect(elapse(job, deadlineAt).job).toBe(job)
  })
})

it('a job without deadlines is never late', () => {
  for (const job of [queued(), pending(), running(), awaiting(null), failedOnce()]) {
    expect(elapse(job, Number.MAX_SAFE_INTEGER).job).toBe(job)
  }
})
