import { describe, expect, it } from 'vitest'
import type { Step } from '../../../src/core/job/decide.ts'
import type { Job } from '../../../src/core/job/job.ts'
import { runEndedBy } from '../../../src/core/job/run.ts'
import {
  awaiting,
  claim,
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
  worker,
} from './jobs.ts'

/** The runs that a step ends; `before` is the job before it. */
function runsOf(before: Job, { events }: Step) {
  return events.map((event) => runEndedBy(before, event)).filter((run) => run !== null)
}

const open = { jobId: 'p:d:n:job', attempt: 1, workerId: worker, startedAt: t0, finishedAt: t0 + 9 }
const bare = { exitCode: null, artifacts: [], logPath: null }

describe('a run', () => {
  it('that completed', () => {
    const facts = { exitCode: 0, artifacts: ['a.pdf'], logPath: 'file:///log' }
    const step = finish(running(), { kind: 'completed', resultDigest: 'sha', facts }, t0 + 9)
    expect(runsOf(running(), step)).toEqual([{ ...open, status: 'COMPLETED', reason: null, error: null, ...facts }])
  })

  it('that failed', () => {
    const step = finish(running(), { ...failure(), facts: { exitCode: 1 } }, t0 + 9)
    const failed = { ...open, ...bare, status: 'FAILED', reason: 'failed', error: 'boom', exitCode: 1 }
    expect(runsOf(running(), step)).toEqual([failed])
  })

  it('that was lost, given back or cancelled', () => {
    const lost = give(running(), { type: 'lose', token, random: 0, alone: true }, t0 + 9)
    expect(runsOf(running(), lost)).toEqual([
      { ...open, ...bare, status: 'FAILED', reason: 'lease_lost', error: 'Worker worker-1 was lost during attempt 1.' },
    ])
    expect(runsOf(running(), give(running(), { type: 'giveBack', token }))).toMatchObject([
      { status: 'FAILED', reason: 'released' },
    ])
    const asked = give(running(), { type: 'cancel', reason: 'x' }).job
    expect(runsOf(asked, finish(asked, { kind: 'cancelled' }))).toMatchObject([
      { status: 'FAILED', reason: 'cancelled' },
    ])
  })

  it('of the second attempt has its number, worker and start', () => {
    const second = claim(failedOnce(), t0 + 5, 'token-2')
    expect(runsOf(second, finish(second, failure()))).toMatchObject([{ attempt: 2, startedAt: t0 + 5 }])
  })

  it('that waited tells which worker began it', () => {
    const step = give(awaiting(null), { type: 'answer', answer: { kind: 'completed', resultDigest: null } }, t0 + 9)
    expect(runsOf(awaiting(null), step)).toEqual([{ ...open, ...bare, status: 'COMPLETED', reason: null, error: null }])
  })

  it('that was skipped has its reason and the number 0', () => {
    const step = give(queued(), { type: 'skip', reason: 'upstream failed', cancelled: true }, t0 + 9)
    const none = { attempt: 0, workerId: null, startedAt: null }
    expect(runsOf(queued(), step)).toEqual([
      { ...open, ...bare, ...none, status: 'SKIPPED', reason: 'upstream failed', error: null },
    ])
  })

  it.each<[string, Job, Step]>([
    ['submit', queued(), submit()],
    ['release', pending(), give(pending(), { type: 'release' })],
    ['edit', queued(), give(queued(), { type: 'edit', changes: { priority: 1 } })],
    ['start', queued(), give(queued(), { type: 'claim', workerId: worker, token })],
    ['suspend', running(), finish(running(), { kind: 'suspended', awaits: null, until: null })],
    ['cancel before the first attempt', queued(), give(queued(), { type: 'cancel', reason: 'x' })],
    ['cancel between attempts', failedOnce(), give(failedOnce(), { type: 'cancel', reason: 'x' })],
    ['request to cancel', running(), give(running(), { type: 'cancel', reason: 'x' })],
  ])('is not ended by a %s', (_what, before, step) => {
    expect(step.events).toHaveLength(1)
    expect(runsOf(before, step)).toEqual([])
  })
})
