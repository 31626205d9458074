import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../../src/core/job/awaits.ts'
import type { Ending } from '../../../src/core/job/commands.ts'
import type { Job } from '../../../src/core/job/job.ts'
import { awaiting, claim, factsOf, failure, finish, give, outside, queued, running, t0, token } from './jobs.ts'
import { codeOf } from './life.ts'

const cancelRequested = give(running(), { type: 'cancel', reason: 'asked' }).job

describe('finish', () => {
  it('completed: the job is over with a result', () => {
    const facts = { exitCode: 0, artifacts: ['report.pdf'], logPath: 'file:///log' }
    const { job, events, effects } = finish(running(), { kind: 'completed', resultDigest: 'sha', facts }, t0 + 9)
    expect(factsOf(events)).toEqual([
      { type: 'job.run.completed', data: { attempt: 1, resultDigest: 'sha', ...facts } },
    ])
    expect(effects).toEqual([{ type: 'wakeWaiters' }, { type: 'freeLimits' }])
    expect(job).toEqual({
      ...running(),
      ...{ version: 3, state: 'final', phase: 'final', outcome: 'COMPLETED', resultDigest: 'sha' },
      ...{ workerId: null, finishedAt: t0 + 9, updatedAt: t0 + 9 },
    })
  })

  it('completed after a cancel was asked: the work is done, and that counts', () => {
    const { job } = finish(cancelRequested, { kind: 'completed', resultDigest: null })
    expect(job).toMatchObject({ state: 'final', outcome: 'COMPLETED', cancelled: false })
  })

  it('failed: the next attempt is due after the backoff', () => {
    const { job, events, effects } = finish(running(), failure('boom', { random: 0.5 }), t0 + 9)
    const data = { attempt: 1, reason: 'failed', error: 'boom', charged: true, retryAt: t0 + 9 + 5_000 }
    expect(factsOf(events)).toEqual([{ type: 'job.run.failed', data }])
    expect(effects).toEqual([{ type: 'freeLimits' }])
    expect(job).toEqual({
      ...running(),
      ...{ version: 3, state: 'error', phase: 'queued', error: 'boom', charged: 1, outcome: 'FAILED', workerId: null },
      ...{ scheduledFor: t0 + 5_009, queuedAt: t0 + 9, updatedAt: t0 + 9 },
    })
  })

  it('failed for good: no attempt follows a terminal error', () => {
    const { job, events, effects } = finish(running(), failure('bad input', { terminal: true }))
    expect(events).toMatchObject([{ data: { reason: 'failed', charged: true, retryAt: null } }])
    expect(effects).toEqual([{ type: 'wakeWaiters' }, { type: 'freeLimits' }])
    expect(job).toMatchObject({ state: 'final', error: 'bad input', outcome: 'FAILED', cancelled: false, charged: 1 })
  })

  it('failed without a word still says something, and what it says can be stored', () => {
    expect(finish(running(), failure('')).job.error).toBe('The handler failed without a message.')
    expect(finish(running(), failure('a\0b\ud800')).job.error).toBe('a\ufffdb\ufffd')
  })

  it('cancelled without a request is a charged failure, so that it cannot go on for ever', () => {
    const { job } = finish(running(), { kind: 'cancelled' }, t0 + 9)
    expect(job).toMatchObject({ state: 'error', charged: 1, scheduledFor: t0 + 9 + job.retry.baseMs })
    expect(job.error).toBe('The handler stopped as if cancelled, but nobody had asked for it.')
  })
})

describe('giveBack', () => {
  it('charges nothing and is due at once', () => {
    const { job, events } = give(running(), { type: 'giveBack', token }, t0 + 9)
    const error = 'The worker stopped and gave the attempt back.'
    const data = { attempt: 1, reason: 'released', error, charged: false, retryAt: t0 + 9 }
    expect(factsOf(events)).toEqual([{ type: 'job.run.failed', data }])
    expect(job).toMatchObject({ state: 'error', phase: 'queued', attempt: 1, charged: 0, scheduledFor: t0 + 9, error })
  })
})

describe('lose', () => {
  it('charges the attempt and makes the job suspect', () => {
    const { job, events } = give(running(), { type: 'lose', token, random: 0.5, alone: true }, t0 + 9)
    const error = 'Worker worker-1 was lost during attempt 1.'
    const data = { attempt: 1, reason: 'lease_lost', error, charged: true, retryAt: t0 + 5_009 }
    expect(factsOf(events)).toEqual([{ type: 'job.run.failed', data }])
    expect(job).toMatchObject({ state: 'error', attempt: 1, charged: 1, suspect: true, error })
  })

  it('charges nothing to a job that was lost with others, before it is lost as a suspect', () => {
    const together = { type: 'lose', token, random: 0.5, alone: false } as const
    const { job, events } = give(running(), together, t0 + 9)
    expect(factsOf(events)).toMatchObject([{ data: { reason: 'lease_lost', charged: false, retryAt: t0 + 5_009 } }])
    expect(job).toMatchObject({ state: 'error', attempt: 1, charged: 0, suspect: true })
    const again = give(claim(job, t0 + 9_999, 'token-2'), { ...together, token: 'token-2' }, t0 + 10_000).job
    expect(again).toMatchObject({ attempt: 2, charged: 1, suspect: true })
  })

  it('ends a job that was to be cancelled, whoever was lost with it', () => {
    const asked = give(running(), { type: 'cancel', reason: 'enough' }).job
    const { job } = give(asked, { type: 'lose', token, random: 0, alone: false })
    expect(job).toMatchObject({ state: 'final', cancelled: true, charged: 0 })
  })

  it('leaves the suspicion when the next attempt is given back, and takes it when one ends by itself', () => {
    const suspect = claim(give(running(), { type: 'lose', token, random: 0, alone: true }).job, t0, 'token-2')
    expect(suspect.suspect).toBe(true)
    expect(give(suspect, { type: 'giveBack', token: 'token-2' }).job.suspect).toBe(true)
    expect(finish(suspect, failure()).job.suspect).toBe(false)
    expect(finish(suspect, { kind: 'completed', resultDigest: null }).job.suspect).toBe(false)
    expect(finish(suspect, { kind: 'snoozed', delayMs: 1, random: 0 }).job.suspect).toBe(false)
    expect(finish(suspect, { kind: 'suspended', awaits: null, until: null }).job.suspect).toBe(false)
  })

  it('is refused when no worker holds the job', () => {
    expect(codeOf(() => give(awaiting(null), { type: 'lose', token, random: 0, alone: true }))).toBe('stale_token')
    expect(codeOf(() => give(queued(), { type: 'lose', token, random: 0, alone: true }))).toBe('stale_token')
  })
})

describe('a repeated end', () => {
  const decided = newAwaits([{ eventType: 'paid', match: {}, times: 1, taskId: null }], ['refused'])
  const paid = give(running({ awaits: decided }), { type: 'ingest', events: [outside('e1', 'paid')] }).job
  const refused = give(running({ awaits: decided }), { type: 'ingest', events: [outside('e1', 'refused')] }).job
  const snoozed = { kind: 'snoozed', delayMs: 5, random: 0 } as const
  const suspended = { kind: 'suspended', awaits: null, until: null } as const

  it.each<[string, Job, Ending]>([
    ['completed', running(), { kind: 'completed', resultDigest: 'sha' }],
    ['failed', running(), failure('a\0b')],
    ['failed without a word', running(), failure('')],
    ['failed for good', running(), failure('x', { terminal: true })],
    ['failed, to be cancelled', cancelRequested, failure()],
    ['snoozed', running(), snoozed],
    ['snoozed, to be cancelled', cancelRequested, snoozed],
    ['snoozed too often', running({ retry: { ...queued().retry, maxSnoozes: 0 } }), snoozed],
    [
      'snoozed too often, to the end',
      running({ retry: { ...queued().retry, maxSnoozes: 0, maxAttempts: 1 } }),
      snoozed,
    ],
    ['suspended', running(), suspended],
    ['suspended, to be cancelled', cancelRequested, suspended],
    ['suspended and complete at once', paid, suspended],
    ['suspended and failed at once', refused, suspended],
    ['cancelled', cancelRequested, { kind: 'cancelled' }],
    ['cancelled without a request', running(), { kind: 'cancelled' }],
  ])('is success and writes nothing: %s', (_what, job, ending) => {
    const first = finish(job, ending).job
    expect(first.version).toBeGreaterThan(job.version)
    const again = finish(first, ending, t0 + 1)
    expect([again.events, again.effects]).toEqual([[], []])
    expect(again.job).toBe(first)
  })

  it.each([
    ['given back', running()],
    ['given back, to be cancelled', cancelRequested],
  ])('is success and writes nothing: %s', (_what, job) => {
    const first = give(job, { type: 'giveBack', token }).job
    expect(give(first, { type: 'giveBack', token }).events).toEqual([])
  })

  it('still is when the job was cancelled in the meantime', () => {
    const first = finish(running(), failure()).job
    const cancelled = give(first, { type: 'cancel', reason: 'asked' }).job
    expect(finish(cancelled, failure()).events).toEqual([])
  })

  it.each<[string, Ending, Ending]>([
    ['another result', { kind: 'completed', resultDigest: 'a' }, { kind: 'completed', resultDigest: 'b' }],
    ['another error', failure('a'), failure('b')],
    ['failed after completed', { kind: 'completed', resultDigest: null }, failure()],
    ['completed after failed', failure(), { kind: 'completed', resultDigest: null }],
    ['snoozed after failed', failure(), snoozed],
    ['another snooze', snoozed, { ...snoozed, delayMs: 6 }],
    ['cancelled after failed', failure(), { kind: 'cancelled' }],
    ['suspended after failed', failure(), suspended],
    ['suspended after a result', { kind: 'completed', resultDigest: 'a' }, suspended],
    ['failed after suspended', suspended, failure()],
  ])('is stale with other content: %s', (_what, ending, other) => {
    const first = finish(running(), ending).job
    expect(codeOf(() => finish(first, other))).toBe('stale_token')
  })

  it('is stale when the worker was taken for dead: what it brings was not kept', () => {
    const lost = give(running(), { type: 'lose', token, random: 0, alone: true }).job
    expect(codeOf(() => give(lost, { type: 'giveBack', token }))).toBe('stale_token')
    expect(codeOf(() => finish(lost, snoozed))).toBe('stale_token')
    expect(codeOf(() => give(lost, { type: 'lose', token, random: 0, alone: true }))).toBe('stale_token')
  })

  it('is stale with the token of an older attempt', () => {
    const second = claim(finish(running(), failure()).job, t0, 'token-2')
    const old = { type: 'finish', token, ending: failure() } as const
    expect(() => give(second, old)).toThrow(
      'Attempt with token token-1 no longer holds job p:d:n:job: nothing was written.',
    )
    expect(codeOf(() => give(second, old))).toBe('stale_token')
    expect(codeOf(() => give(finish(second, failure()).job, old))).toBe('stale_token')
  })
})
