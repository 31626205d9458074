import { describe, expect, it } from 'vitest'
import {
  awaiting,
  claim,
  factsOf,
  failedOnce,
  failure,
  finish,
  give,
  pending,
  queued,
  running,
  submit,
  t0,
} from './jobs.ts'
import { codeOf } from './life.ts'

const complete = { type: 'answer', answer: { kind: 'completed', resultDigest: 'sha' } } as const

describe('answer', () => {
  it.each([
    ['waits for it', awaiting(null)],
    ['still has a worker', running()],
  ])('completes a job that %s', (_how, job) => {
    const { job: after, events, effects } = give(job, complete, t0 + 9)
    expect(factsOf(events)).toEqual([{ type: 'job.run.completed', data: { attempt: 1, resultDigest: 'sha' } }])
    expect(effects).toEqual([{ type: 'wakeWaiters' }, { type: 'freeLimits' }])
    expect(after).toMatchObject({ state: 'final', outcome: 'COMPLETED', resultDigest: 'sha', attemptDeadlineAt: null })
  })

  it('that it failed follows the retry policy', () => {
    const answer = failure('rejected', { random: 0.5 })
    const { job } = give(awaiting(null), { type: 'answer', answer }, t0 + 9)
    expect(job).toMatchObject({ state: 'error', phase: 'queued', error: 'rejected', charged: 1 })
    expect(job.scheduledFor).toBe(t0 + 5_009)
    const last = awaiting(null, { retry: { ...queued().retry, maxAttempts: 1 } })
    expect(give(last, { type: 'answer', answer }).job).toMatchObject({ state: 'final', outcome: 'FAILED' })
    const terminal = { type: 'answer', answer: failure('rejected', { terminal: true }) } as const
    expect(give(awaiting(null), terminal).job).toMatchObject({ state: 'final', outcome: 'FAILED' })
  })

  it('leaves a worker that had the job with a stale token', () => {
    const { job } = give(running(), complete)
    expect(codeOf(() => finish(job, failure()))).toBe('stale_token')
    expect(finish(job, { kind: 'completed', resultDigest: 'sha' }).events).toEqual([])
  })

  it.each([
    ['pending', pending()],
    ['queued', queued()],
    ['between two attempts', failedOnce()],
  ])('is refused for a job that is %s', (_where, job) => {
    expect(codeOf(() => give(job, complete))).toBe('not_started')
  })

  it('never matches a job that is over', () => {
    expect(codeOf(() => give(submit({}, { skip: 'x' }).job, complete))).toBe('not_found')
    expect(codeOf(() => give(give(running(), complete).job, complete))).toBe('not_found')
  })
})

describe('suspended', () => {
  it('keeps the attempt open without a worker', () => {
    const { job, events, effects } = finish(running({ timeoutMs: 100 }), {
      kind: 'suspended',
      awaits: null,
      until: t0 + 900,
    })
    const data = { attempt: 1, awaits: null, until: t0 + 900 }
    expect(factsOf(events)).toEqual([{ type: 'job.run.suspended', data }])
    expect(effects).toEqual([])
    expect(job).toEqual({
      ...running({ timeoutMs: 100 }),
      ...{ version: 3, phase: 'awaiting', attemptDeadlineAt: t0 + 900 },
    })
  })

  it('and failed, it goes on with the next attempt', () => {
    const failed = give(awaiting(null), { type: 'answer', answer: failure() }).job
    expect(claim(failed, t0, 'token-2')).toMatchObject({ state: 'running', phase: 'running', attempt: 2, error: null })
  })
})
