import { expect, it } from 'vitest'
import { defineJob, type JobHandle, JobRunId } from '../../src/index.ts'
import { counted, onBothStores, startWorker, until } from '../support/stint.ts'

const uuidOf = (job: JobHandle | undefined) => JobRunId.parse(job?.id ?? '').name

onBothStores('upkeep', (setup) => {
  async function submitted(fixture: Awaited<ReturnType<typeof setup>>, options: object) {
    const items = Array.from({ length: 50 }, () => ({ job: 'job', options: { retry: { baseMs: 0 }, ...options } }))
    const settled = await fixture.stint.submitMany(items)
    return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  }

  it('rescues all jobs of a lost worker but the one that cannot be read', async () => {
    const fixture = await setup()
    const { stint, store, raw } = fixture
    const jobs = await submitted(fixture, {})
    await store.register({ id: 'dead', name: 'dead', leaseMs: 60_000 })
    await store.claim({ workerId: 'dead', token: 't', types: ['job'], limit: 100 })
    await raw(`update workers set lost_at = 1, lost_with = 50 where id = 'dead'`)
    await raw(`update jobs set options = '{nonsense' where id = '${uuidOf(jobs[20])}'`)
    await startWorker(stint, { jobs: [], leaseMs: 5_000 })
    await until(
      () => counted(stint, 'stint_attempts_rescued'),
      (count) => count === 49,
    )
    await until(
      () => counted(stint, 'stint_upkeep_errors', { service: 'rescue' }),
      (count) => count > 0,
    )
    const held = await store.held('dead')
    expect(held.map(({ jobId }) => jobId)).toEqual([uuidOf(jobs[20])])
    await raw(`update jobs set options = null where id = '${uuidOf(jobs[20])}'`)
    await until(
      () => store.held('dead'),
      (left) => left.length === 0,
    )
    await startWorker(stint, { jobs: [defineJob('job', { run: ({ attempt }) => attempt })] })
    await Promise.all(jobs.slice(0, 10).map(async (job) => expect(await job.result()).toBe(2)))
  })

  it('ends all jobs that are late but the one that cannot be read', async () => {
    const fixture = await setup()
    const { stint, raw } = fixture
    const jobs = await submitted(fixture, { expiresAt: new Date(Date.now() + 3_600_000) })
    await raw(`update jobs set options = '{nonsense' where id = '${uuidOf(jobs[20])}'`)
    await raw('update jobs set expires_at = 1')
    await raw('update deadlines set at = 1')
    await startWorker(stint, { jobs: [] })
    const others = jobs.filter((_, i) => i !== 20)
    const ends = await Promise.allSettled(others.map((job) => job.result()))
    const codes = ends.map((end) => (end.status === 'rejected' ? end.reason.code : end.status))
    expect(codes).toEqual(Array.from({ length: 49 }, () => 'job_skipped'))
    await until(
      () => counted(stint, 'stint_upkeep_errors', { service: 'elapse' }),
      (count) => count > 0,
    )
    expect(counted(stint, 'stint_jobs_elapsed')).toBe(49)
  })

  it('finds a worker whose process has died', async () => {
    const { stint, store } = await setup()
    const job = await stint.submit('job', null, { retry: { baseMs: 0 } })
    await store.register({ id: 'dead', name: 'dead', leaseMs: 1 })
    await store.claim({ workerId: 'dead', token: 't', types: ['job'], limit: 1 })
    await startWorker(stint, { jobs: [defineJob('job', { run: ({ attempt }) => attempt })], leaseMs: 5_000 })
    expect(await job.result()).toBe(2)
    expect(counted(stint, 'stint_workers_lost')).toBe(1)
    expect((await stint.runs.list({ job: job.id })).items[0]).toMatchObject({ reason: 'lease_lost', workerId: 'dead' })
  })
})
