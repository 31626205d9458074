import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../../src/core/job/awaits.ts'
import type { Job } from '../../../src/core/job/job.ts'
import {
  awaiting,
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
  token,
} from './jobs.ts'
import { codeOf } from './life.ts'

const cancel = { type: 'cancel', reason: 'asked by ann' } as const
const wakes = [{ type: 'wakeWaiters' }]

describe('cancel', () => {
  it.each([
    ['pending', pending()],
    ['queued', queued()],
  ])('ends a job that is %s at once, without a run', (_where, job) => {
    const { job: after, events, effects } = give(job, cancel, t0 + 9)
    expect(factsOf(events)).toEqual([{ type: 'job.cancelled', data: { reason: 'asked by ann' } }])
    expect(effects).toEqual(wakes)
    expect(after).toEqual({
      ...job,
      ...{ version: 2, state: 'final', phase: 'final', cancelled: true, error: 'asked by ann' },
      ...{ finishedAt: t0 + 9, updatedAt: t0 + 9 },
    })
  })

  it('ends a job between two attempts; the error and outcome of its last run stay', () => {
    const { job, events } = give(failedOnce(), cancel)
    expect(events.map(({ type }) => type)).toEqual(['job.cancelled'])
    expect(job).toMatchObject({ state: 'final', cancelled: true, outcome: 'FAILED', error: 'boom', attempt: 1 })
  })

  it('only asks while a worker holds the job', () => {
    const { job, events, effects } = give(running(), cancel, t0 + 9)
    expect(factsOf(events)).toEqual([{ type: 'job.cancel.requested', data: { reason: 'asked by ann' } }])
    expect(effects).toEqual([])
    const asked = { cancelRequestedAt: t0 + 9, cancelReason: 'asked by ann' }
    expect(job).toEqual({ ...running(), version: 3, ...asked, updatedAt: t0 + 9 })
  })

  it('asked again while a worker holds the job changes nothing', () => {
    const { job } = give(running(), cancel)
    const again = give(job, cancel, t0 + 50)
    expect([again.events, again.job === job]).toEqual([[], true])
  })

  it('ends a job that waits without a worker at once, with a run', () => {
    const { job, events, effects } = give(awaiting(newAwaits([], ['x'])), cancel, t0 + 9)
    const data = { attempt: 1, reason: 'cancelled', error: 'Cancelled while running.', charged: false, retryAt: null }
    expect(factsOf(events)).toEqual([
      { type: 'job.run.failed', data },
      { type: 'job.cancelled', data: { reason: 'asked by ann' } },
    ])
    expect(effects).toEqual([...wakes, { type: 'freeLimits' }])
    expect(job).toMatchObject({ state: 'final', cancelled: true, outcome: 'FAILED', charged: 0, awaits: null })
  })

  it('of a job that is over is no error and changes nothing', () => {
    const { job } = submit({}, { skip: 'x' })
    const again = give(job, cancel)
    expect([again.events, again.effects, again.job === job]).toEqual([[], [], true])
  })
})

describe('a job that is to be cancelled', () => {
  const asked = give(running({ timeoutMs: 1_000, retry: { ...queued().retry, maxSnoozes: 0 } }), cancel).job

  it.each<[string, (job: Job) => Job]>([
    ['stopped', (job) => finish(job, { kind: 'cancelled' }).job],
    ['failed', (job) => finish(job, failure()).job],
    ['snoozed', (job) => finish(job, { kind: 'snoozed', delayMs: 1, random: 0 }).job],
    ['was suspended', (job) => finish(job, { kind: 'suspended', awaits: null, until: null }).job],
    ['was given back', (job) => give(job, { type: 'giveBack', token }).job],
    ['was lost', (job) => give(job, { type: 'lose', token, random: 0, alone: true }).job],
    ['ran out of time', (job) => give(job, { type: 'elapse', random: 0 }, t0 + 1_000).job],
    ['was failed from outside', (job) => give(job, { type: 'answer', answer: failure() }).job],
  ])('ends when its attempt %s, and nothing is charged', (_what, end) => {
    const job = end(asked)
    expect(job).toMatchObject({ state: 'final', cancelled: true, outcome: 'FAILED', charged: 0, snoozes: 0 })
    expect(job.error).toBe('Cancelled while running.')
  })

  it('keeps what its attempt told about itself', () => {
    const { events } = finish(asked, { kind: 'cancelled', facts: { exitCode: 143 } })
    expect(events).toMatchObject([
      { type: 'job.run.failed', data: { reason: 'cancelled', exitCode: 143 } },
      { type: 'job.cancelled', data: { reason: 'asked by ann' } },
    ])
    expect(finish(asked, failure()).events).toMatchObject([{ data: { reason: 'cancelled' } }, {}])
  })
})

describe('skip', () => {
  it('ends a job that has not begun with a skipped run', () => {
    const { job, events, effects } = give(
      pending(),
      { type: 'skip', reason: 'upstream failed', cancelled: true },
      t0 + 9,
    )
    expect(factsOf(events)).toEqual([{ type: 'job.run.skipped', data: { reason: 'upstream failed', cancelled: true } }])
    expect(effects).toEqual(wakes)
    expect(job).toMatchObject({ state: 'final', outcome: 'SKIPPED', cancelled: true, error: 'upstream failed' })
    expect(job).toMatchObject({ attempt: 0, charged: 0, startedAt: null, finishedAt: t0 + 9 })
  })

  it('need not show as cancelled', () => {
    expect(give(queued(), { type: 'skip', reason: 'x', cancelled: false }).job.cancelled).toBe(false)
  })

  it.each([
    ['running', running()],
    ['queued', failedOnce()],
    ['final', submit({}, { skip: 'x' }).job],
  ])('is refused once there was an attempt or an end: %s', (phase, job) => {
    const skip = { type: 'skip', reason: 'x', cancelled: false } as const
    expect(codeOf(() => give(job, skip))).toBe('illegal_transition')
    expect(() => give(job, skip)).toThrow(`cannot be skipped: it is ${phase} (${job.state}).`)
  })
})
