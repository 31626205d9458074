import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../../src/core/job/awaits.ts'
import { holdsPaths, type Job, waitsForOthers } from '../../../src/core/job/job.ts'
import type { Needs } from '../../../src/core/slot/needs.ts'
import { awaiting, factsOf, finish, give, outside, pending, running, submit, t0 } from './jobs.ts'
import { codeOf } from './life.ts'

const needs: Needs = { list: [{ of: 'other', at: '/a' }], onFailure: 'run' }
const failure = { of: 'other', name: '/n/other', at: '/a', error: 'it failed' }
const receive = { type: 'receive', resultDigest: 'sha', error: null } as const

/** An attempt that waits for the value of another. */
function returning(fields: Parameters<typeof running>[0] = {}): Job {
  return finish(running(fields), { kind: 'suspended', awaits: null, until: null, output: 'other' }).job
}

describe('a job that needs values', () => {
  it('waits for them, whatever it is told, unless it is skipped', () => {
    expect(submit({ needs }).job.phase).toBe('pending')
    expect(submit({ needs }, { skip: 'twice' }).events[0]?.data).toMatchObject({ pending: false })
  })

  it('is released with them in its params', () => {
    const resolved = { params: { digest: 'new', replaced: '{"a":null}' }, upstream: [] }
    const { job, events } = give(pending({ needs, paramsDigest: 'old' }), { type: 'release', resolved })
    expect(factsOf(events)).toEqual([{ type: 'job.queued', data: { resolved } }])
    expect(job).toMatchObject({ phase: 'queued', paramsDigest: 'new', upstream: [], queuedAt: t0 })
  })

  it('keeps its params when it only waited, and is told what will not come', () => {
    const resolved = { params: null, upstream: [failure] }
    const { job } = give(pending({ needs, paramsDigest: 'old' }), { type: 'release', resolved })
    expect(job).toMatchObject({ phase: 'queued', paramsDigest: 'old', upstream: [failure] })
  })

  it('is not released without them, and gets them once', () => {
    const waiting = pending({ needs, paramsDigest: 'old' })
    expect(give(waiting, { type: 'release' }).events).toEqual([])
    const resolved = { params: { digest: 'new', replaced: null }, upstream: [] }
    const { job } = give(waiting, { type: 'release', resolved })
    const held = give(job, { type: 'hold' }).job
    const again = { params: { digest: 'other', replaced: null }, upstream: [] }
    expect(give(held, { type: 'release', resolved: again }).job).toMatchObject({ phase: 'queued', paramsDigest: 'new' })
  })

  it('cannot get other params before they are there, but another priority', () => {
    const params = { digest: 'new', replaced: null }
    const waiting = pending({ needs })
    expect(codeOf(() => give(waiting, { type: 'edit', changes: { params } }))).toBe('illegal_transition')
    expect(give(waiting, { type: 'edit', changes: { priority: 3 } }).job.priority).toBe(3)
    const { job } = give(waiting, { type: 'release', resolved: { params: null, upstream: [] } })
    expect(give(job, { type: 'edit', changes: { params } }).job.paramsDigest).toBe('new')
  })
})

describe('an attempt that gives the value of another as its result', () => {
  it('waits for it without a worker, and for nothing else', () => {
    const job = returning({ awaits: newAwaits([{ eventType: 'paid', match: {}, times: 1, taskId: null }], []) })
    expect(job).toMatchObject({ state: 'running', phase: 'awaiting', output: 'other' })
    expect(waitsForOthers(job)).toBe(true)
    const ending = { kind: 'suspended', awaits: null, until: null } as const
    expect(finish(running(), { ...ending, output: 'other' }).effects).toEqual([{ type: 'freePaths' }])
    expect(finish(running(), ending).effects).toEqual([])
    expect(waitsForOthers(awaiting(null))).toBe(false)
    expect([running(), awaiting(null), job, { ...job, output: null, shards: 3 }, pending()].map(holdsPaths)).toEqual([
      ...[true, true, false, false, false],
    ])
    expect(give(job, { type: 'ingest', events: [outside('1', 'paid')] }).events).toEqual([])
    const answer = { type: 'answer', answer: { kind: 'completed', resultDigest: null } } as const
    expect(codeOf(() => give(job, answer))).toBe('illegal_transition')
  })

  it('completes with it', () => {
    const { job, events } = give(returning(), receive)
    expect(factsOf(events)).toEqual([{ type: 'job.run.completed', data: { attempt: 1, resultDigest: 'sha' } }])
    expect(job).toMatchObject({ state: 'final', outcome: 'COMPLETED', resultDigest: 'sha', output: 'other' })
    expect(give(job, receive).events).toEqual([])
  })

  it('fails for good when it cannot come', () => {
    const { job } = give(returning(), { ...receive, error: '/n/other failed: no' })
    expect(job).toMatchObject({ state: 'final', outcome: 'FAILED', error: '/n/other failed: no', charged: 1 })
  })

  it('is the same end when it is told again, also after the value has come', () => {
    const waiting = returning()
    const ending = { kind: 'suspended', awaits: null, until: null, output: 'other' } as const
    expect(finish(waiting, ending).events).toEqual([])
    expect(finish(give(waiting, receive).job, ending).events).toEqual([])
    expect(codeOf(() => finish(waiting, { ...ending, output: 'another' }))).toBe('stale_token')
  })

  it('that does not wait is not concerned', () => {
    expect(give(awaiting(null), receive).events).toEqual([])
    expect(give(running(), receive).events).toEqual([])
  })

  it('forgets it when the next attempt starts', () => {
    const failed = give(
      { ...returning({ timeoutMs: 5 }), attemptDeadlineAt: t0 + 5 },
      { type: 'elapse', random: 0 },
      t0 + 5,
    )
    expect(failed.job).toMatchObject({ state: 'error', output: 'other' })
    const { job } = give(failed.job, { type: 'claim', workerId: 'w', token: 'two' }, failed.job.scheduledFor)
    expect(job).toMatchObject({ attempt: 2, output: null })
  })
})
