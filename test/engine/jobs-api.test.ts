import { expect, it } from 'vitest'
import { defineJob, JobRunId, type JobsQuery, type Stint } from '../../src/index.ts'
import { onBothStores, startWorker, until } from '../support/stint.ts'

async function namesOf(stint: Stint, query: JobsQuery): Promise<readonly string[]> {
  return (await stint.jobs.list(query)).items.map(({ name }) => name)
}

onBothStores('jobs', (setup) => {
  it('are listed by type, status, outcome, branch, key and label, the newest first', async () => {
    const { stint } = await setup()
    const done = defineJob('done', { run: () => null })
    const bad = defineJob('bad', {
      retry: { maxAttempts: 1 },
      run: () => {
        throw new Error('x')
      },
    })
    const waits = defineJob('waits', { run: (ctx) => ctx.later() })
    await startWorker(stint, { jobs: [done, bad, waits] })
    await (await stint.submit(done, undefined, { name: '/a/done', labels: { team: 'red' } })).result()
    await expect((await stint.submit(bad, undefined, { name: '/a/bad' })).result()).rejects.toThrow()
    await stint.submit(waits, undefined, { name: '/a/waits', key: 'k' })
    await until(
      () => stint.jobs.get('/a/waits'),
      (job) => job?.status === 'RUNNING',
    )
    await stint.submit('unknown', null, { name: '/a/waits/below', labels: { team: 'red', size: 'l' } })
    await stint.submit('unknown', null, { name: '/b/cancelled' })
    await stint.jobs.cancel('/b/cancelled')
    const cases: readonly (readonly [JobsQuery, readonly string[]])[] = [
      [{}, ['/b/cancelled', '/a/waits/below', '/a/waits', '/a/bad', '/a/done']],
      [{ type: 'unknown' }, ['/b/cancelled', '/a/waits/below']],
      [{ status: 'QUEUED' }, ['/a/waits/below']],
      [{ status: 'RUNNING' }, ['/a/waits']],
      [{ status: 'CANCELLED' }, ['/b/cancelled']],
      [{ status: null }, ['/a/bad', '/a/done']],
      [{ outcome: 'FAILED' }, ['/a/bad']],
      [{ branch: '/a/waits' }, ['/a/waits/below', '/a/waits']],
      [{ branch: '/b' }, ['/b/cancelled']],
      [{ key: 'k' }, ['/a/waits']],
      [{ label: { name: 'team', value: 'red' } }, ['/a/waits/below', '/a/done']],
      [{ label: { name: 'team', value: 'red' }, type: 'done' }, ['/a/done']],
      [{ type: 'nothing' }, []],
    ]
    for (const [query, names] of cases) expect(await namesOf(stint, query), JSON.stringify(query)).toEqual(names)
  })

  it('are listed page by page, each once, while others come', async () => {
    const { stint } = await setup()
    await stint.submitMany(Array.from({ length: 53 }, (_, i) => ({ job: 'x', options: { name: `/a/job-${i}` } })))
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<Stint['jobs']['list']>> = await stint.jobs.list({ limit: 5, cursor })
      seen.push(...page.items.map(({ name }) => name))
      cursor = page.cursor
      if (seen.length === 20) await stint.submit('x')
    } while (cursor !== null)
    expect(new Set(seen).size).toBe(53)
    expect(seen).toHaveLength(53)
  })

  it('cannot be asked for in ways that do not exist', async () => {
    const { stint } = await setup()
    const refused = { code: 'invalid_argument' }
    const queries = [{ status: 'DONE' }, { cursor: 'x' }, { limit: 0 }, { outcome: 'FINE' }, { limit: 1.5 }]
    for (const query of queries) await expect(stint.jobs.list(query as JobsQuery)).rejects.toMatchObject(refused)
    await expect(stint.jobs.list({ branch: 'relative' })).rejects.toMatchObject({ code: 'invalid_name' })
    await expect(stint.jobs.get('/a//b')).rejects.toMatchObject({ code: 'invalid_name' })
    await expect(stint.jobs.get('')).rejects.toMatchObject({ code: 'invalid_id' })
    for (const no of [null, undefined, 5, {}, []]) {
      await expect(stint.jobs.get(no as never)).rejects.toMatchObject(refused)
    }
    expect(await stint.jobs.get('/a/b')).toBeNull()
    expect(await stint.jobs.get('stint:::00000000-0000-7000-8000-000000000000')).toBeNull()
    await expect(stint.jobs.retry('/a/b')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('that are over run once more as new jobs with the same name, params and settings', async () => {
    const { stint, store } = await setup()
    let fails = true
    const job = defineJob('job', {
      run: (ctx) => {
        if (fails) throw new Error('x')
        return ctx.params
      },
    })
    const cleaned: unknown[] = []
    const cleanUp = defineJob('clean-up', { run: ({ params }) => void cleaned.push(params) })
    await startWorker(stint, { jobs: [job, cleanUp] })
    const options = { name: '/a/b', key: 'k', labels: { l: 'v' }, priority: 3, maxAttempts: 1, timeoutMs: 60_000 }
    const first = await stint.submit(job, { n: 1 }, { ...options, onFailure: 'clean-up' })
    await expect(first.result()).rejects.toMatchObject({ code: 'job_failed' })
    await until(
      () => cleaned.length,
      (count) => count === 1,
    )
    const second = await stint.jobs.retry(first.id)
    await expect(second.result()).rejects.toMatchObject({ code: 'job_failed' })
    await until(
      () => cleaned.length,
      (count) => count === 2,
    )
    fails = false
    const third = await stint.jobs.retry('/a/b')
    expect(await third.result()).toEqual({ n: 1 })
    expect(new Set([first.id, second.id, third.id]).size).toBe(3)
    expect(third).toMatchObject({ name: '/a/b', key: 'k', labels: { l: 'v' }, priority: 3, retryOf: second.id })
    const [stored] = await store.find([{ id: JobRunId.parse(third.id).name }])
    expect(stored?.job).toMatchObject({ timeoutMs: 60_000, retry: { maxAttempts: 1 } })
  })

  it('that are run once more await the same events', async () => {
    const { stint } = await setup()
    const waits = defineJob('waits', { run: (ctx) => ctx.later() })
    await startWorker(stint, { jobs: [waits] })
    const first = await stint.submit(waits, undefined, { awaits: { events: [{ eventType: 'paid' }], failOn: ['no'] } })
    await stint.events.append({ type: 'no', job: first.id })
    await expect(first.result()).rejects.toMatchObject({ code: 'job_failed' })
    const second = await stint.jobs.retry(first.id)
    await stint.events.append({ type: 'paid', job: second.id })
    expect(await second.result()).toBeNull()
  })

  it('cannot be run once more before they are over', async () => {
    const { stint } = await setup()
    const job = await stint.submit('x', null, { name: '/a/b' })
    await expect(stint.jobs.retry(job.id)).rejects.toMatchObject({ code: 'illegal_transition' })
    await stint.jobs.cancel(job.id)
    await stint.jobs.retry(job.id)
    await expect(stint.jobs.retry(job.id)).rejects.toMatchObject({ code: 'name_taken' })
  })
})
