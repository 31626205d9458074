import { describe, expect, it } from 'vitest'
import type { JobEvent, JobEventData } from '../../../src/core/job/events.ts'
import { evolve, replay } from '../../../src/core/job/evolve.ts'
import { defaultSlicePolicy, type Job } from '../../../src/core/job/job.ts'
import { awaiting, failedOnce, pending, queued, running, submit, t0 } from './jobs.ts'
import { codeOf } from './life.ts'

/** Data for an event of every type, as far as evolve looks at it. */
const data: JobEventData = {
  'job.created': { ...queued(), pending: false },
  'job.queued': {},
  'job.edited': { priority: 1 },
  'job.run.started': { attempt: 1, token: 'token-1', workerId: 'w', attemptDeadlineAt: null },
  'job.run.suspended': { attempt: 1, awaits: null, until: null },
  'job.run.completed': { attempt: 1, resultDigest: null },
  'job.run.failed': { attempt: 1, reason: 'failed', error: 'boom', charged: true, retryAt: t0 },
  'job.run.skipped': { reason: 'x', cancelled: false },
  'job.cancel.requested': { reason: 'x' },
  'job.cancelled': { reason: 'x' },
  'job.expired': { reason: 'x' },
  'job.held': {},
  'job.run.resumed': { attempt: 1, token: 'token-2', workerId: 'w', attemptDeadlineAt: null },
  'job.run.planned': { attempt: 1, shards: 3 },
  'job.run.queued': { attempt: 1 },
  'task.slice.completed': { attempt: 1, seq: 1, stateDigest: 'sha', progress: null, position: 200 },
  'task.slice.failed': { attempt: 1, seq: 1, reason: 'failed', error: 'boom', counts: true, retryAt: t0 },
}

function event(type: keyof JobEventData, version: number): JobEvent {
  const observed = { actor: null, cause: null, executionId: null, traceId: null, spanId: null }
  return { type, jobId: 'p:d:n:job', version, at: t0, data: data[type], ...observed } as JobEvent
}

const task = running({ task: { of: 'sharded', index: 0, total: 1, slice: defaultSlicePolicy } })

const jobs: Readonly<Record<string, Job>> = {
  pending: pending(),
  queued: queued(),
  running: running(),
  awaiting: awaiting(null),
  error: failedOnce(),
  final: submit({}, { skip: 'x' }).job,
  task,
  sliced: evolve(task, event('task.slice.completed', task.version + 1)),
}

describe('evolve', () => {
  it.each<[keyof JobEventData, readonly string[]]>([
    ['job.created', []],
    ['job.queued', ['pending']],
    ['job.edited', ['pending', 'queued']],
    ['job.run.started', ['queued', 'error']],
    ['job.run.suspended', ['running', 'task']],
    ['job.run.completed', ['running', 'awaiting', 'task', 'sliced']],
    ['job.run.failed', ['running', 'awaiting', 'task', 'sliced']],
    ['job.run.skipped', ['pending', 'queued']],
    ['job.cancel.requested', ['running', 'task']],
    ['job.cancelled', ['pending', 'queued', 'error']],
    ['job.expired', ['error']],
    ['job.held', ['queued']],
    ['job.run.resumed', ['sliced']],
    ['job.run.planned', ['running', 'task']],
    ['job.run.queued', ['awaiting']],
    ['task.slice.completed', ['task']],
    ['task.slice.failed', ['task']],
  ])('takes %s only where it has its place', (type, places) => {
    const takers = Object.keys(jobs).filter((place) => {
      const job = jobs[place]
      return job !== undefined && codeOf(() => evolve(job, event(type, job.version + 1))) === null
    })
    expect(takers).toEqual(places)
  })

  it('names the job, the event and the state in a refusal', () => {
    const act = () => evolve(queued(), event('job.run.completed', 2))
    expect(act).toThrow('Job p:d:n:job cannot take job.run.completed in initial: this move does not exist.')
    expect(codeOf(act)).toBe('illegal_transition')
  })

  it('begins with job.created and nothing else', () => {
    expect(codeOf(() => evolve(null, event('job.queued', 1)))).toBe('illegal_transition')
    expect(() => evolve(null, event('job.queued', 1))).toThrow('in no state yet')
  })

  it('ignores a version that it has, whatever the event says', () => {
    const job = running()
    for (const type of Object.keys(data) as (keyof JobEventData)[]) {
      expect(evolve(job, event(type, job.version))).toBe(job)
      expect(evolve(job, event(type, 1))).toBe(job)
    }
  })

  it('refuses a gap, before and after the beginning', () => {
    const gap = () => evolve(queued(), event('job.run.started', 3))
    expect(gap).toThrow('Job p:d:n:job is at version 1; event job.run.started with version 3 leaves a gap.')
    expect(codeOf(gap)).toBe('version_gap')
    expect(codeOf(() => evolve(null, event('job.created', 2)))).toBe('version_gap')
    expect(codeOf(() => evolve(null, event('job.created', 0)))).toBe('version_gap')
  })
})

describe('replay', () => {
  it('of nothing is no job', () => {
    expect(replay([])).toBeNull()
  })

  it('takes events that were delivered twice', () => {
    const { events, job } = submit({}, { skip: 'x' })
    expect(replay([...events, ...events])).toEqual(job)
  })
})
