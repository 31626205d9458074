import { readFileSync, writeFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { currentContext, defineJob } from '../../src/index.ts'
import { gate, onBothStores, setupStint, startWorker, until } from '../support/stint.ts'

describe('currentContext', () => {
  it('is the context of the job that runs, however deep, and null outside', async () => {
    const { stint } = await setupStint()
    const deep = async () => {
      await turn()
      return currentContext()?.params
    }
    const job = defineJob('job', { run: async () => [await deep(), await deep()] })
    await startWorker(stint, { jobs: [job] })
    const settled = await stint.submitMany(Array.from({ length: 30 }, (_, i) => ({ job, params: i })))
    const results = settled.map((each) => (each.status === 'fulfilled' ? each.value.result() : null))
    expect(await Promise.all(results)).toEqual(Array.from({ length: 30 }, (_, i) => [i, i]))
    expect(currentContext()).toBeNull()
  })
})

onBothStores('the context of a run', (setup) => {
  it('says who the run is', async () => {
    const { stint } = await setup()
    const job = defineJob('job', {
      run: ({ id, runId, name, type, attempt, lastCheckpoint }) => ({ id, runId, name, type, attempt, lastCheckpoint }),
    })
    await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job, undefined, { name: '/a/b' })
    const [run] = (await submitted.result().then(() => stint.runs.list({ job: submitted.id }))).items
    const who = { id: submitted.id, runId: run?.id, name: '/a/b', type: 'job', attempt: 1, lastCheckpoint: null }
    expect(await submitted.result()).toEqual(who)
  })

  it('keeps the log of each run, cut at its limit', async () => {
    const { stint } = await setup()
    const job = defineJob('job', {
      run: (ctx) => {
        if (ctx.params === 'much') for (let i = 0; i < 6_000; i++) ctx.log(`line ${i}`)
        else for (const line of ['one', 'two\0', '']) ctx.log(line)
      },
    })
    await startWorker(stint, { jobs: [job] })
    const few = await stint.submit(job)
    await few.result()
    const page = await stint.runs.log({ job: few.id, attempt: 1 })
    expect(page.items.map(({ seq, line }) => [seq, line])).toEqual([
      [1, 'one'],
      [2, 'two\ufffd'],
      [3, ''],
    ])
    expect(page.cursor).toBeNull()
    expect(await stint.runs.log({ job: few.id, attempt: 1, afterSeq: 1, limit: 1 })).toMatchObject({
      items: [{ seq: 2 }],
      cursor: '2',
    })
    const [run] = (await stint.runs.list({ job: few.id })).items
    expect(run?.logPath).toBe(`stint:${run?.id}/log`)
    const much = await stint.submit(job, 'much')
    await much.result()
    const { items } = await stint.runs.log({ job: much.id, attempt: 1, limit: 10_000 })
    expect([items.length, items.at(-1)?.line]).toEqual([5_001, '… the log is cut here: a run keeps no more.'])
    await expect(stint.runs.log({ job: '/no/job', attempt: 1 })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('gives the next attempt what the one before saved, and shows how far it is', async () => {
    const { stint, store } = await setup()
    const open = gate()
    const job = defineJob('job', {
      retry: { baseMs: 0 },
      run: async (ctx) => {
        if (ctx.attempt > 1) return ctx.lastCheckpoint
        ctx.progress(Number.NaN)
        ctx.progress(1, 10)
        ctx.progress(2, 10)
        await ctx.checkpoint({ page: 1 })
        await ctx.checkpoint({ page: 2 })
        await expect(ctx.checkpoint(5n)).rejects.toMatchObject({ code: 'invalid_json' })
        await open.promise
        throw new Error('again')
      },
    })
    await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job)
    const id = submitted.id.split(':').at(-1) ?? ''
    await until(
      () => store.notes(id),
      ({ progress, checkpoint }) => progress?.done === 2 && checkpoint !== null,
    )
    expect(await store.notes(id)).toEqual({ progress: { done: 2, total: 10 }, checkpoint: '{"page":2}' })
    open.resolve()
    expect(await submitted.result()).toEqual({ page: 2 })
  })

  it('keeps files in a directory of the run, and lists them on it', async () => {
    const { stint } = await setup()
    const job = defineJob('job', {
      run: async (ctx) => {
        const path = await ctx.artifact('sub/a.txt')
        writeFileSync(path, 'content')
        writeFileSync(await ctx.artifact('b.txt'), '')
        for (const wrong of ['../out', '/etc/passwd', 'sub/../..']) {
          await expect(ctx.artifact(wrong)).rejects.toMatchObject({ code: 'invalid_argument' })
        }
        return path
      },
    })
    await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job)
    expect(readFileSync(await submitted.result(), 'utf8')).toBe('content')
    expect((await stint.runs.list({ job: submitted.id })).items).toMatchObject([{ artifacts: ['b.txt', 'sub/a.txt'] }])
  })

  it('shows the run that is open, without an end', async () => {
    const { stint } = await setup()
    const [started, open] = [gate(), gate()]
    const job = defineJob('job', {
      run: async () => {
        started.resolve()
        await open.promise
      },
    })
    const worker = await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job, { a: 1 })
    await started.promise
    const [run] = (await stint.runs.list({ job: submitted.id })).items
    const unknown = { status: null, finishedAt: null, durationMs: null, error: null, reason: null, exitCode: null }
    expect(run).toMatchObject({ ...unknown, attempt: 1, params: { a: 1 }, workerId: worker.id, artifacts: [] })
    open.resolve()
    await submitted.result()
    const [ended] = (await stint.runs.list({ job: submitted.id })).items
    expect(ended).toMatchObject({ status: 'COMPLETED', startedAt: run?.startedAt, id: run?.id })
    expect(ended?.durationMs).toBe(Number(ended?.finishedAt) - Number(ended?.startedAt))
  })
})
