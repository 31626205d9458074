import { describe, expect, it } from 'vitest'
import { awaiting, claim, factsOf, failedOnce, give, pending, queued, running, submit, t0 } from './jobs.ts'
import { codeOf } from './life.ts'

const command = { type: 'claim', workerId: 'worker-1', token: 'token-1' } as const

describe('claim', () => {
  it('starts the first attempt', () => {
    const { job, events, effects } = give(queued(), command, t0 + 3)
    const data = { attempt: 1, token: 'token-1', workerId: 'worker-1', attemptDeadlineAt: null }
    expect(factsOf(events)).toEqual([{ type: 'job.run.started', data }])
    expect(effects).toEqual([])
    expect(job).toEqual({
      ...queued(),
      ...{ version: 2, state: 'running', phase: 'running', attempt: 1, token: 'token-1', workerId: 'worker-1' },
      ...{ startedAt: t0 + 3, updatedAt: t0 + 3 },
    })
  })

  it('sets the deadline of the attempt on the job', () => {
    expect(give(queued({ timeoutMs: 500 }), command, t0 + 3).job.attemptDeadlineAt).toBe(t0 + 503)
  })

  it('starts the next attempt after a failure: the error is gone, what was charged stays', () => {
    const failed = failedOnce()
    expect(failed).toMatchObject({ state: 'error', error: 'boom', attempt: 1, charged: 1 })
    const { job } = give(failed, { ...command, token: 'token-2', workerId: 'worker-2' }, t0 + 9)
    expect(job).toMatchObject({ state: 'running', phase: 'running', error: null, attempt: 2, charged: 1 })
    expect(job).toMatchObject({ token: 'token-2', workerId: 'worker-2', startedAt: t0 + 9 })
  })

  it('waits for the time of the job, to the millisecond', () => {
    const job = queued({ scheduledFor: t0 + 100 })
    expect(codeOf(() => give(job, command, t0 + 99))).toBe('illegal_transition')
    expect(() => give(job, command, t0)).toThrow('cannot be claimed before its time: it is queued (initial).')
    expect(give(job, command, t0 + 100).job.attempt).toBe(1)
  })

  it.each([
    ['pending', pending()],
    ['running', running()],
    ['awaiting', awaiting(null)],
    ['final', submit({}, { skip: 'x' }).job],
  ])('is refused for a job that is %s', (phase, job) => {
    expect(codeOf(() => claim(job, t0 + 1, 'token-2'))).toBe('illegal_transition')
    expect(() => claim(job, t0 + 1, 'token-2')).toThrow(`cannot be claimed: it is ${phase}`)
  })
})
