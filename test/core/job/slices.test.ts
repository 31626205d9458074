import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../../src/core/job/awaits.ts'
import type { Command, Ending } from '../../../src/core/job/commands.ts'
import { step } from '../../../src/core/job/decide.ts'
import { defaultSlicePolicy, type Job, type JobSpec, type SlicePolicy } from '../../../src/core/job/job.ts'
import { outsideEvents } from './arbitrary.ts'
import { claim, queued, running, t0, token, worker } from './jobs.ts'
import { codeOf } from './life.ts'

/** A task that runs, with this many failures of slices and attempts at the most. */
function task(slice: Partial<SlicePolicy> = {}, fields: Partial<JobSpec> = {}): Job {
  const spec = { of: 'sharded', index: 1, total: 3, slice: { ...defaultSlicePolicy, ...slice } }
  return running({ name: '/n/job/1', paramsDigest: 'initial', task: spec, ...fields })
}

function saved(job: Job, stateDigest: string, fields: Partial<Extract<Ending, { kind: 'sliced' }>> = {}): Ending {
  const seq = (job.slices?.seq ?? 0) + 1
  return { kind: 'sliced', seq, stateDigest, progress: [seq, 10], position: 900, random: 0, ...fields }
}

const boom = { kind: 'failed', error: 'boom', terminal: false, random: 0.5 } as const

function finish(job: Job, ending: Ending, now = t0 + 10) {
  return step(job, { type: 'finish', token: job.token ?? '', ending }, now)
}

function again(job: Job, now = Math.max(job.scheduledFor, t0 + 20)): Job {
  return claim(job, now, `token-${now}`)
}

describe('a slice', () => {
  it('is saved, and its task queues behind all others with its attempt open', () => {
    const { job, events, effects } = finish(task(), saved(task(), 'one'))
    expect(events.map(({ type }) => type)).toEqual(['task.slice.completed'])
    expect(effects).toEqual([{ type: 'freeLimits' }])
    expect(job).toMatchObject({ state: 'running', phase: 'queued', attempt: 1, position: 900, resultDigest: 'one' })
    expect(job.slices).toEqual({ seq: 1, failures: 0, idle: 0, progress: [1, 10], error: null })
    expect([job.workerId, job.attemptDeadlineAt, job.startedAt]).toEqual([null, null, t0])
  })

  it('is followed by the next with a token of its own, in the same attempt and from the same start', () => {
    const { job } = finish(task({}, { timeoutMs: 100 }), saved(task(), 'one'))
    const { job: next, events } = step(job, { type: 'claim', workerId: worker, token: 'two' }, t0 + 50)
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['job.run.resumed', { attempt: 1, token: 'two', workerId: worker, attemptDeadlineAt: t0 + 150 }],
    ])
    expect(next).toMatchObject({ phase: 'running', attempt: 1, startedAt: t0, token: 'two' })
  })

  it('that comes late, twice or out of turn changes nothing', () => {
    const first = task()
    const { job } = finish(first, saved(first, 'one'))
    expect(finish(job, saved(first, 'one')).events).toEqual([])
    const next = again(job)
    expect(codeOf(() => step(next, { type: 'finish', token, ending: saved(first, 'one') }, t0))).toBe('stale_token')
    expect(codeOf(() => finish(next, saved(next, 'two', { seq: 3 })))).toBe('stale_slice')
    expect(codeOf(() => finish(next, saved(next, 'two', { seq: 1 })))).toBe('stale_slice')
  })

  it('that fails is done again from the last state, after a delay that grows', () => {
    const one = again(finish(task(), saved(task(), 'one')).job)
    const failed = finish(one, boom, t0 + 100)
    expect(failed.events.map(({ type }) => type)).toEqual(['task.slice.failed'])
    expect(failed.job).toMatchObject({
      state: 'running',
      phase: 'queued',
      resultDigest: 'one',
      charged: 0,
      error: null,
    })
    expect(failed.job.slices).toMatchObject({ seq: 1, failures: 1, error: 'boom' })
    expect(failed.job.scheduledFor).toBe(t0 + 600)
    const twice = finish(again(failed.job), boom, t0 + 1_000)
    expect(twice.job.scheduledFor).toBe(t0 + 2_000)
    const success = finish(again(twice.job), saved(twice.job, 'two'))
    expect(success.job.slices).toMatchObject({ seq: 2, failures: 0, error: null })
  })

  it('that failed too often in a row ends the attempt: the next begins with the initial state', () => {
    const policy = { maxFailures: 2, baseMs: 0 }
    const one = again(finish(task(policy), saved(task(policy), 'one')).job)
    const failed = finish(again(finish(one, boom).job), boom)
    expect(failed.events.map(({ type }) => type)).toEqual(['job.run.failed'])
    expect(failed.job).toMatchObject({ state: 'error', phase: 'queued', charged: 1, resultDigest: null, error: 'boom' })
    expect(failed.job.slices).toEqual({ seq: 1, failures: 0, idle: 0, progress: null, error: 'boom' })
    const anew = again(failed.job)
    expect(anew).toMatchObject({ attempt: 2, error: null })
    expect(finish(anew, saved(anew, 'one')).job.slices?.seq).toBe(2)
  })

  it('that says it is of no use ends the attempt at once, and one that says all is lost the task', () => {
    const terminal = finish(task(), { ...boom, terminal: true }).job
    expect(terminal).toMatchObject({ state: 'error', charged: 1 })
    const lost = finish(task(), { ...boom, failsJob: true })
    expect(lost.job).toMatchObject({ state: 'final', outcome: 'FAILED', error: 'boom' })
    expect(lost.events[0]?.data).toMatchObject({ failsJob: true, retryAt: null })
  })

  it('that leaves the state as it was is bounded', () => {
    const policy = { maxIdle: 2 }
    const idle = finish(task(policy), saved(task(policy), 'initial')).job
    expect(idle.slices?.idle).toBe(1)
    const next = again(idle)
    const over = finish(next, saved(next, 'initial'))
    expect(over.job).toMatchObject({ state: 'final', error: 'The state did not change in 2 slices.' })
    expect(finish(over.job, saved(next, 'initial')).events).toEqual([])
    const moved = finish(next, saved(next, 'other')).job
    expect(moved.slices?.idle).toBe(0)
  })

  it('cannot wait for others, and a snooze or a stop costs nothing', () => {
    expect(finish(task(), { kind: 'suspended', awaits: null, until: null }).job).toMatchObject({
      state: 'error',
      error: 'A slice cannot wait for others: it must give back its state.',
    })
    const snoozed = finish(task(), { kind: 'snoozed', delayMs: 50, random: 0 }).job
    expect(snoozed).toMatchObject({ snoozes: 1, state: 'running', phase: 'queued', scheduledFor: t0 + 60 })
    const stopped = step(task(), { type: 'giveBack', token }, t0 + 5).job
    expect(stopped).toMatchObject({ state: 'running', phase: 'queued', scheduledFor: t0 + 5 })
    expect([snoozed.slices?.failures, stopped.slices?.failures]).toEqual([0, 0])
  })

  it('whose worker is lost makes its task a suspect, and counts if it was alone or suspect before', () => {
    const lose = (job: Job, alone: boolean) => {
      return step(job, { type: 'lose', token: job.token ?? '', random: 0.5, alone } as Command, t0 + 5).job
    }
    const once = lose(task(), false)
    expect([once.suspect, once.slices?.failures, once.state]).toEqual([true, 0, 'running'])
    expect(lose(again(once), false).slices?.failures).toBe(1)
    const suspect = again(once)
    const givenBack = step(suspect, { type: 'giveBack', token: suspect.token ?? '' }, suspect.scheduledFor).job
    expect([givenBack.suspect, finish(suspect, boom).job.suspect]).toEqual([true, false])
    expect(lose(task(), true).slices?.failures).toBe(1)
  })

  it('that runs out of time has failed, and a task that does is over', () => {
    const slow = task({}, { timeoutMs: 100 })
    expect(step(slow, { type: 'elapse', random: 0 }, t0 + 100).job.slices?.failures).toBe(1)
    const late = task({}, { deadlineAt: t0 + 500 })
    expect(step(late, { type: 'elapse', random: 0 }, t0 + 500).job).toMatchObject({ state: 'final', outcome: 'FAILED' })
    expect(finish(late, { ...boom, random: 0.9 }).job.state).toBe('final')
  })

  it('stops when its task is cancelled, between two at once', () => {
    const between = finish(task(), saved(task(), 'one')).job
    expect(step(between, { type: 'cancel', reason: 'enough' }, t0).job).toMatchObject({
      state: 'final',
      cancelled: true,
    })
    const asked = step(task(), { type: 'cancel', reason: 'enough' }, t0).job
    for (const ending of [saved(asked, 'one'), boom, { kind: 'completed', resultDigest: 'x' } as const]) {
      expect(finish(asked, ending).job.state).toBe('final')
    }
  })

  it('belongs to a task: others have none, and nobody outside ends a task', () => {
    expect(codeOf(() => finish(running(), saved(running(), 'one')))).toBe('illegal_transition')
    expect(codeOf(() => step(task(), { type: 'answer', answer: boom }, t0))).toBe('illegal_transition')
  })
})

describe('a sharded job', () => {
  const planned = (shards = 3) => finish(running(), { kind: 'planned', shards })

  it('waits for its tasks without a worker, then goes on in the same attempt', () => {
    const { job, effects } = planned()
    expect(job).toMatchObject({ phase: 'awaiting', shards: 3, attempt: 1 })
    expect(effects).toEqual([{ type: 'freePaths' }])
    const ready = step(job, { type: 'gather', error: null }, t0 + 50).job
    expect(ready).toMatchObject({ state: 'running', phase: 'queued', workerId: null })
    expect(step(ready, { type: 'gather', error: null }, t0 + 50).events).toEqual([])
    const reducing = again(ready)
    expect(reducing).toMatchObject({ phase: 'running', attempt: 1 })
    expect(finish(reducing, { kind: 'completed', resultDigest: 'sum' }).job.outcome).toBe('COMPLETED')
  })

  it('fails for good by its tasks, and takes the others with it', () => {
    const { job, effects } = step(planned().job, { type: 'gather', error: 'Task 1 failed', children: true }, t0 + 50)
    expect(job).toMatchObject({ state: 'final', outcome: 'FAILED', error: 'Task 1 failed' })
    expect(effects.map(({ type }) => type)).toEqual(['wakeWaiters', 'cancelChildren', 'freeLimits'])
  })

  it('tries again to make its result, not to split', () => {
    const reducing = again(step(planned().job, { type: 'gather', error: null }, t0 + 50).job)
    const failed = finish(reducing, boom).job
    expect(failed).toMatchObject({ state: 'error', shards: 3 })
    expect(codeOf(() => finish(again(failed), { kind: 'planned', shards: 2 }))).toBe('illegal_transition')
  })

  it('that is told the same twice is split once, and a task cannot be', () => {
    const { job } = planned()
    expect(finish(job, { kind: 'planned', shards: 3 }).events).toEqual([])
    expect(codeOf(() => finish(job, { kind: 'planned', shards: 4 }))).toBe('stale_token')
    expect(codeOf(() => finish(task(), { kind: 'planned', shards: 4 }))).toBe('illegal_transition')
  })

  it('can be cancelled while it waits, and is answered by nobody', () => {
    const { job } = planned()
    expect(step(job, { type: 'cancel', reason: 'enough' }, t0).job).toMatchObject({ state: 'final', cancelled: true })
    expect(codeOf(() => step(job, { type: 'answer', answer: boom }, t0))).toBe('illegal_transition')
    const asked = step(running(), { type: 'cancel', reason: 'enough' }, t0).job
    expect(finish(asked, { kind: 'planned', shards: 3 }).job).toMatchObject({ state: 'final', cancelled: true })
    expect(step(queued(), { type: 'gather', error: null }, t0).events).toEqual([])
  })

  it('is not completed by events from outside while it waits for its tasks', () => {
    const awaits = newAwaits([{ eventType: 'paid', match: {}, times: 1, taskId: null }], [])
    const { job } = finish(running({ awaits }), { kind: 'planned', shards: 3 })
    const paid = outsideEvents.filter(({ type }) => type === 'paid')
    expect(step(job, { type: 'ingest', events: paid }, t0 + 1).events).toEqual([])
  })
})
