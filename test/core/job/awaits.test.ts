import { describe, expect, it } from 'vitest'
import { type AwaitedEvent, type Awaits, awaitsLimits, countEvent, newAwaits } from '../../../src/core/job/awaits.ts'
import type { OutsideEvent } from '../../../src/core/job/outside-event.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import {
  awaiting,
  claim,
  factsOf,
  failure,
  finish,
  give,
  outside,
  pending,
  queued,
  running,
  submit,
  t0,
} from './jobs.ts'

const kind = (eventType: string, more: Partial<AwaitedEvent> = {}): AwaitedEvent => {
  return { eventType, match: {}, times: 1, taskId: null, ...more }
}

function counted(awaits: Awaits, ...events: readonly OutsideEvent[]): Awaits {
  return events.reduce(countEvent, awaits)
}

describe('countEvent', () => {
  it('is complete with the one event that is awaited', () => {
    const awaits = newAwaits([kind('paid')], [])
    expect(awaits).toEqual({ events: [kind('paid')], failOn: [], seen: [[]], decided: null })
    expect(counted(awaits, outside('e1', 'paid'))).toEqual({ ...awaits, seen: [null], decided: 'complete' })
  })

  it('is the same object when the event changes nothing', () => {
    const awaits = counted(newAwaits([kind('paid', { times: 2 })], ['refused']), outside('e1', 'paid'))
    expect(counted(awaits, outside('e2', 'other'))).toBe(awaits)
    expect(counted(awaits, outside('e1', 'paid'))).toBe(awaits)
    const decided = counted(awaits, outside('e2', 'paid'))
    expect(counted(decided, outside('e3', 'paid'), outside('e4', 'refused'))).toBe(decided)
  })

  it('counts different events up to the number of times', () => {
    const awaits = newAwaits([kind('paid', { times: 3 })], [])
    const two = counted(awaits, outside('e9', 'paid'), outside('e1', 'paid'), outside('e9', 'paid'))
    expect(two).toMatchObject({ seen: [['e1', 'e9']], decided: null })
    expect(counted(two, outside('e5', 'paid'))).toMatchObject({ seen: [null], decided: 'complete' })
  })

  it('needs all kinds, in any order, and one event may count for several', () => {
    const awaits = newAwaits([kind('paid'), kind('shipped'), kind('paid', { match: { region: 'eu' } })], [])
    expect(counted(awaits, outside('e1', 'paid')).seen).toEqual([null, [], []])
    const most = counted(awaits, outside('e1', 'paid', { attributes: { region: 'eu' } }))
    expect(most).toMatchObject({ seen: [null, [], null], decided: null })
    expect(counted(most, outside('e2', 'shipped')).decided).toBe('complete')
    expect(counted(awaits, outside('e2', 'shipped'), outside('e1', 'paid')).decided).toBeNull()
  })

  it.each<[string, AwaitedEvent['match'], JsonObject, boolean]>([
    ['an equal text', { a: 'x' }, { a: 'x', more: 1 }, true],
    ['another text', { a: 'x' }, { a: 'y' }, false],
    ['a number', { a: 1 }, { a: 1 }, true],
    ['a text for a number', { a: 1 }, { a: '1' }, false],
    ['a boolean', { a: false }, { a: false }, true],
    ['nothing for false', { a: false }, {}, false],
    ['null', { a: null }, { a: null }, true],
    ['nothing for null', { a: null }, {}, false],
    ['one of two', { a: 1, b: 2 }, { a: 1 }, false],
    ['an inherited name', { toString: null }, {}, false],
  ])('matches attributes by value: %s', (_what, match, attributes, counts) => {
    const awaits = newAwaits([kind('paid', { match })], [])
    expect(counted(awaits, outside('e1', 'paid', { attributes })).decided).toBe(counts ? 'complete' : null)
  })

  it('matches the task when one is asked for', () => {
    const awaits = newAwaits([kind('paid', { taskId: 'job-task-3' })], [])
    expect(counted(awaits, outside('e1', 'paid'), outside('e2', 'paid', { taskId: 'job-task-4' }))).toBe(awaits)
    expect(counted(awaits, outside('e3', 'paid', { taskId: 'job-task-3' })).decided).toBe('complete')
    expect(counted(newAwaits([kind('paid')], []), outside('e1', 'paid', { taskId: 'any' })).decided).toBe('complete')
  })

  it('fails by a type of failOn, and the first terminal event decides', () => {
    const awaits = newAwaits([kind('paid')], ['refused', 'expired'])
    const failed = counted(awaits, outside('e1', 'expired'))
    expect(failed).toEqual({ ...awaits, decided: { failedBy: 'e1' } })
    expect(counted(failed, outside('e2', 'paid'), outside('e3', 'refused'))).toBe(failed)
    const complete = counted(awaits, outside('e2', 'paid'))
    expect(counted(complete, outside('e1', 'expired'))).toBe(complete)
  })

  it('without a kind is never complete: only an answer or a failure ends such a wait', () => {
    const awaits = newAwaits([], ['refused'])
    expect(counted(awaits, outside('e1', 'paid'))).toBe(awaits)
    expect(counted(awaits, outside('e2', 'refused')).decided).toEqual({ failedBy: 'e2' })
  })

  it('has limits for those who check requests', () => {
    expect(awaitsLimits).toEqual({ kinds: 32, times: 1_000 })
  })
})

describe('ingest', () => {
  const both = newAwaits([kind('paid'), kind('shipped')], ['refused'])
  const paid = outside('e1', 'paid')
  const shipped = outside('e2', 'shipped')

  it('completes a job that waits, with the last event that it needs', () => {
    const one = give(awaiting(both), { type: 'ingest', events: [paid, paid] }, t0 + 5)
    expect([one.events, one.job.phase, one.job.version, one.job.updatedAt]).toEqual([[], 'awaiting', 3, t0])
    const { job, events, effects } = give(one.job, { type: 'ingest', events: [shipped] }, t0 + 9)
    expect(factsOf(events)).toEqual([{ type: 'job.run.completed', data: { attempt: 1, resultDigest: null } }])
    expect(effects).toEqual([{ type: 'wakeWaiters' }, { type: 'freeLimits' }])
    expect(job).toMatchObject({ state: 'final', outcome: 'COMPLETED', awaits: null, finishedAt: t0 + 9 })
  })

  it('fails a job for good, whatever attempts are left', () => {
    const { job, events } = give(awaiting(both), { type: 'ingest', events: [paid, outside('e9', 'refused'), shipped] })
    const data = { attempt: 1, reason: 'failed', error: 'Failed by the event e9.', charged: true, retryAt: null }
    expect(factsOf(events)).toEqual([{ type: 'job.run.failed', data }])
    expect(job).toMatchObject({ state: 'final', outcome: 'FAILED', charged: 1, attempt: 1, cancelled: false })
  })

  it.each([
    ['pending', pending({ awaits: both })],
    ['queued', queued({ awaits: both })],
    ['running', running({ awaits: both })],
    ['between two attempts', finish(running({ awaits: both }), failure()).job],
  ])('only counts while a job is %s: it has not begun to wait', (_where, job) => {
    const { job: after, events } = give(job, { type: 'ingest', events: [paid, shipped] })
    expect(events).toEqual([])
    expect(after).toEqual({ ...job, awaits: { ...both, seen: [null, null], decided: 'complete' } })
  })

  it('counts what came before the job waited: it ends as it begins to wait', () => {
    const early = give(queued({ awaits: both }), { type: 'ingest', events: [shipped, paid] }).job
    const { job, events } = finish(claim(early), { kind: 'suspended', awaits: null, until: null })
    expect(events.map(({ type }) => type)).toEqual(['job.run.suspended', 'job.run.completed'])
    expect(job).toMatchObject({ state: 'final', outcome: 'COMPLETED' })
    const refused = give(running({ awaits: both }), { type: 'ingest', events: [outside('e9', 'refused')] }).job
    expect(finish(refused, { kind: 'suspended', awaits: null, until: null }).events).toMatchObject([
      { type: 'job.run.suspended' },
      { type: 'job.run.failed', data: { error: 'Failed by the event e9.', retryAt: null } },
    ])
  })

  it('counts over attempts: what came in one is there in the next', () => {
    const one = give(awaiting(both), { type: 'ingest', events: [paid] }).job
    const failed = give(one, { type: 'answer', answer: failure() }).job
    const again = finish(claim(failed, t0, 'token-2'), { kind: 'suspended', awaits: null, until: null }).job
    expect(give(again, { type: 'ingest', events: [shipped] }).job.outcome).toBe('COMPLETED')
  })

  it('a job may say only when it begins to wait what it waits for, and that takes the place of what it said before', () => {
    const other = newAwaits([kind('signed')], [])
    const job = awaiting(other, { awaits: both })
    expect(job.awaits).toEqual(other)
    expect(give(job, { type: 'ingest', events: [paid, shipped, outside('e9', 'refused')] }).job).toBe(job)
    expect(give(job, { type: 'ingest', events: [outside('e3', 'signed')] }).job.outcome).toBe('COMPLETED')
    expect(awaiting(null, { awaits: both }).awaits).toEqual(both)
  })

  it('given to a job that awaits no events changes nothing', () => {
    for (const job of [awaiting(null), queued(), running(), submit({ awaits: both }, { skip: 'x' }).job]) {
      const { job: after, events } = give(job, { type: 'ingest', events: [paid, shipped] })
      expect([events, after === job]).toEqual([[], true])
    }
  })
})
