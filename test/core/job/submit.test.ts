import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../../src/core/job/awaits.ts'
import { decide, step } from '../../../src/core/job/decide.ts'
import { defaultRetry } from '../../../src/core/job/job.ts'
import { aSpec, factsOf, failedOnce, give, pending, queued, running, submit, t0 } from './jobs.ts'
import { codeOf } from './life.ts'

describe('submit', () => {
  it('makes a job that is queued', () => {
    const spec = aSpec({ key: 'k', labels: { team: 'blue' }, priority: 3, awaits: newAwaits([], ['refused']) })
    const { job, events, effects } = step(null, { type: 'submit', spec, pending: false, skip: null }, t0)
    const { id, ...data } = spec
    expect(events).toEqual([
      {
        ...{ type: 'job.created', jobId: id, version: 1, at: t0, data: { ...data, pending: false } },
        ...{ actor: null, cause: null, executionId: null, traceId: null, spanId: null },
      },
    ])
    expect(effects).toEqual([])
    expect(job).toEqual({
      ...spec,
      ...{ version: 1, state: 'initial', phase: 'queued', attempt: 0, charged: 0, snoozes: 0, suspect: false },
      ...{ shards: null, slices: null, upstream: null, output: null },
      ...{
        error: null,
        outcome: null,
        cancelled: false,
        resultDigest: null,
        cancelRequestedAt: null,
        cancelReason: null,
      },
      ...{ token: null, workerId: null, attemptDeadlineAt: null },
      ...{ createdAt: t0, queuedAt: t0, startedAt: null, finishedAt: null, updatedAt: t0 },
    })
  })

  it('writes to the event who asked, and why', () => {
    const origin = { actor: 'key:1', cause: 'p:d:n:parent-run-1', executionId: 'e', traceId: 't', spanId: 's' }
    const command = { type: 'submit', spec: aSpec(), pending: false, skip: null } as const
    expect(decide(null, command, t0, origin).events).toMatchObject([origin])
  })

  it('makes a job that waits for a gate', () => {
    expect(pending()).toMatchObject({ state: 'initial', phase: 'pending', queuedAt: null, createdAt: t0 })
  })

  it('can record a duplicate: a job that is over with a skipped run', () => {
    const { job, events, effects } = submit({}, { skip: 'duplicate of x' })
    expect(events.map(({ type, version }) => [type, version])).toEqual([
      ['job.created', 1],
      ['job.run.skipped', 2],
    ])
    expect(events[1]?.data).toEqual({ reason: 'duplicate of x', cancelled: false })
    expect(job).toMatchObject({ state: 'final', outcome: 'SKIPPED', cancelled: false, attempt: 0, finishedAt: t0 })
    expect(effects).toEqual([{ type: 'wakeWaiters' }])
  })

  it('is refused for an id that exists, even when the job is over', () => {
    const command = { type: 'submit', spec: aSpec(), pending: false, skip: null } as const
    expect(codeOf(() => decide(queued(), command, t0))).toBe('id_taken')
    expect(codeOf(() => decide(submit({}, { skip: 'x' }).job, command, t0))).toBe('id_taken')
  })

  it('is the only command that needs no job', () => {
    expect(codeOf(() => decide(null, { type: 'release' }, t0))).toBe('not_found')
    expect(() => decide(null, { type: 'cancel', reason: 'x' }, t0)).toThrow('There is no job to cancel.')
  })

  it('has the defaults of the design', () => {
    expect(defaultRetry).toEqual({ maxAttempts: 4, baseMs: 10_000, factor: 2, capMs: 3_600_000, maxSnoozes: 1_000 })
  })
})

describe('release', () => {
  it('queues a pending job', () => {
    const { job, events } = give(pending(), { type: 'release' }, t0 + 5)
    expect(factsOf(events)).toEqual([{ type: 'job.queued', data: {} }])
    expect(job).toMatchObject({ state: 'initial', phase: 'queued', queuedAt: t0 + 5, createdAt: t0, version: 2 })
  })

  it.each([
    ['queued', queued()],
    ['running', running()],
    ['in error', failedOnce()],
    ['final', submit({}, { skip: 'x' }).job],
  ])('does nothing to a job that is %s', (_where, job) => {
    const after = give(job, { type: 'release' })
    expect(after.events).toEqual([])
    expect(after.job).toBe(job)
  })
})

describe('hold', () => {
  it('lets a queued job wait again, until it is released', () => {
    const { job, events } = give(queued(), { type: 'hold' }, t0 + 5)
    expect(factsOf(events)).toEqual([{ type: 'job.held', data: {} }])
    expect(job).toMatchObject({ state: 'initial', phase: 'pending', queuedAt: null, version: 2 })
    expect(give(job, { type: 'release' }, t0 + 9).job).toMatchObject({ phase: 'queued', queuedAt: t0 + 9 })
  })

  it('does nothing to a job that waits already', () => {
    const job = pending()
    expect(give(job, { type: 'hold' })).toMatchObject({ events: [], job })
  })

  it('is refused for a job that was dispatched, or is over', () => {
    for (const job of [running(), failedOnce()]) {
      expect(codeOf(() => give(job, { type: 'hold' }))).toBe('already_dispatched')
    }
    expect(codeOf(() => give(submit({}, { skip: 'x' }).job, { type: 'hold' }))).toBe('illegal_transition')
  })
})

describe('edit', () => {
  it('changes priority, position, time and params before the first dispatch', () => {
    const changes = { priority: 9, position: 50, scheduledFor: t0 + 7, params: { digest: 'new', replaced: 'old' } }
    const { job, events } = give(queued({ paramsDigest: 'd1' }), { type: 'edit', changes }, t0 + 1)
    expect(factsOf(events)).toEqual([{ type: 'job.edited', data: changes }])
    expect(job).toEqual({
      ...queued({ priority: 9, position: 50, scheduledFor: t0 + 7, paramsDigest: 'new' }),
      ...{ version: 2, updatedAt: t0 + 1 },
    })
  })

  it('leaves what it does not name', () => {
    const { job } = give(pending({ paramsDigest: 'd1' }), { type: 'edit', changes: { priority: -1 } })
    expect(job).toMatchObject({ priority: -1, position: 100, scheduledFor: t0, paramsDigest: 'd1', phase: 'pending' })
  })

  it('can take the params away', () => {
    const changes = { params: { digest: null, replaced: 'old' } }
    expect(give(queued({ paramsDigest: 'd1' }), { type: 'edit', changes }).job.paramsDigest).toBeNull()
  })

  it('without a change writes nothing', () => {
    expect(give(queued(), { type: 'edit', changes: {} }).events).toEqual([])
  })

  it.each([
    ['running', running()],
    ['in error', failedOnce()],
  ])('is refused for a job that is %s', (_where, job) => {
    expect(codeOf(() => give(job, { type: 'edit', changes: { priority: 1 } }))).toBe('already_dispatched')
    expect(codeOf(() => give(job, { type: 'edit', changes: {} }))).toBe('already_dispatched')
  })

  it('is refused for a job that ended before it was dispatched', () => {
    const { job } = submit({}, { skip: 'x' })
    expect(codeOf(() => give(job, { type: 'edit', changes: { priority: 1 } }))).toBe('illegal_transition')
  })
})
