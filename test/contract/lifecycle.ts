import { describe, expect, it } from 'vitest'
import { digestOf } from '../../src/store/digest.ts'
import { verify } from '../../src/store/verify.ts'
import { applied, type Setup, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'

/** One job through its whole life, and what is left of it. */
export function lifecycleContract(setup: Setup): void {
  describe('a job', () => {
    it('is submitted, claimed and completed, and its history says so', async () => {
      const { store, raw } = await setup()
      const submitted = await submitOne(store, { params: '{"b":1,"a":2}', name: '/reports/daily' }, 1_000)
      const [claimed] = await store.claim({ workerId: 'w1', token: 't1', types: ['work'], limit: 5, now: 2_000 })
      if (claimed === undefined) throw new Error('Nothing was claimed.')
      const ending = { kind: 'completed', resultDigest: digestOf('[1]') } as const
      const request = { job: claimed, command: { type: 'finish', token: 't1', ending }, result: '[1]' } as const
      const [finished] = await store.apply([request], { now: 3_000 })

      expect(submitted.job).toMatchObject({
        state: 'initial',
        phase: 'queued',
        attempt: 0,
        version: 1,
        createdAt: 1_000,
      })
      expect(claimed.job).toMatchObject({
        state: 'running',
        phase: 'running',
        attempt: 1,
        version: 2,
        startedAt: 2_000,
      })
      expect(applied(finished).job).toMatchObject({
        state: 'final',
        outcome: 'COMPLETED',
        version: 3,
        finishedAt: 3_000,
      })
      expect(await store.find([{ id: submitted.job.id }])).toEqual([applied(finished)])
      expect(applied(finished)).toMatchObject({ params: '{"b":1,"a":2}', result: '[1]' })

      const entries = await readAll({ store, raw })
      expect(entries.map(({ eventType, version }) => [eventType, version])).toEqual([
        ['job.created', 1],
        ['job.run.started', 2],
        ['job.run.completed', 3],
      ])
      expect(await store.runs(submitted.job.id)).toEqual([
        {
          jobId: submitted.job.id,
          attempt: 1,
          status: 'COMPLETED',
          reason: null,
          error: null,
          workerId: 'w1',
          startedAt: 2_000,
          finishedAt: 3_000,
          exitCode: null,
          artifacts: [],
          logPath: null,
        },
      ])
      expect(await verify(store)).toEqual([])
    })
  })
}
