import { expect, it } from 'vitest'
import { counters, defineJob } from '../../src/index.ts'
import { counted, onBothStores, startWorker, until } from '../support/stint.ts'

onBothStores('counters', (setup) => {
  it('add up: every claimed attempt has ended in one way', async () => {
    const { stint } = await setup()
    const job = defineJob('job', {
      retry: { baseMs: 0, maxAttempts: 2 },
      run: (ctx) => {
        if (ctx.params === 'fail') throw new Error('x')
        if (ctx.params === 'later') return ctx.later()
        if (ctx.params === 'snooze' && ctx.attempt === 1) return ctx.retryIn(0)
        if (ctx.params === 'hang' && ctx.attempt === 1) return new Promise(() => {})
        return null
      },
    })
    await startWorker(stint, { jobs: [job], cancelGraceMs: 0 })
    for (const params of ['ok', 'fail', 'snooze', 'later', 'ok']) await stint.submit(job, params)
    await stint.submit(job, 'hang', { timeoutMs: 1_500, maxAttempts: 10 })
    await stint.submitMany([{ job, params: 5n }])
    await until(
      () => counted(stint, 'stint_attempts_ended'),
      (count) => count === 9,
    )
    const ended = (how: string) => counted(stint, 'stint_attempts_ended', { type: 'job', how })
    expect(counted(stint, 'stint_jobs_submitted', { type: 'job' })).toBe(6)
    expect(counted(stint, 'stint_jobs_claimed')).toBe(9)
    expect(['completed', 'failed', 'snoozed', 'suspended', 'elapse'].map(ended)).toEqual([4, 2, 1, 1, 1])
    expect(counted(stint, 'stint_attempts_lost')).toBe(0)
    expect(counted(stint, 'stint_attempts_abandoned')).toBe(1)
    for (const { name } of stint.metrics()) expect(Object.keys(counters)).toContain(name)
  })
})
