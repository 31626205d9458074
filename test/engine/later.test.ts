import { expect, it } from 'vitest'
import { defineJob, type LaterOptions } from '../../src/index.ts'
import { onBothStores, startWorker, until } from '../support/stint.ts'

/** Waits for whatever its params say. */
const waiting = defineJob('waiting', {
  retry: { baseMs: 0, maxAttempts: 2 },
  run: (ctx) => ctx.later((ctx.params ?? {}) as LaterOptions),
})

onBothStores('later', (setup) => {
  async function started(params: LaterOptions = {}, options = {}) {
    const fixture = await setup()
    const { stint } = fixture
    const worker = await startWorker(stint, { jobs: [waiting], concurrency: 1 })
    const job = await stint.submit(waiting, params, options)
    const awaiting = () =>
      until(
        () => stint.jobs.get(job.id),
        (found) => found?.reason?.startsWith('awaits') === true,
      )
    await awaiting()
    return { ...fixture, worker, job, awaiting }
  }

  it('is completed by key or by id, and holds no worker meanwhile', async () => {
    const { stint, job, worker } = await started({}, { key: 'order-1' })
    await until(
      () => worker.heldCount,
      (held) => held === 0,
    )
    const reference = { type: 'waiting', key: 'order-1' }
    expect(await stint.complete(reference, { paid: true })).toMatchObject({ outcome: 'COMPLETED' })
    expect(await job.result()).toEqual({ paid: true })
    await expect(stint.complete(reference)).rejects.toMatchObject({ code: 'not_found', status: 404 })
    await expect(stint.complete({ id: job.id })).rejects.toMatchObject({ code: 'not_found' })
    const second = await stint.submit(waiting, {})
    await until(
      () => stint.jobs.get(second.id),
      (found) => found?.status === 'RUNNING',
    )
    await stint.complete({ id: second.id })
    expect(await second.result()).toBeNull()
  })

  it('is tried again when it is failed from outside, until its attempts are used up', async () => {
    const { stint, job, awaiting } = await started({}, { key: 'k' })
    await stint.fail({ type: 'waiting', key: 'k' }, new Error('no answer'))
    await until(
      () => stint.jobs.get(job.id),
      (found) => found?.attempt === 2,
    )
    await awaiting()
    await stint.fail({ id: job.id }, 'still none')
    await expect(job.result()).rejects.toMatchObject({ code: 'job_failed', details: { error: 'still none' } })
    await expect(stint.fail({ id: job.id }, 'x')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('cannot be answered before it has started', async () => {
    const { stint } = await setup()
    const job = await stint.submit('waiting', null, { key: 'k' })
    const early = { code: 'not_started', status: 409 }
    await expect(stint.complete({ id: job.id })).rejects.toMatchObject(early)
    await expect(stint.fail({ type: 'waiting', key: 'k' }, 'x')).rejects.toMatchObject(early)
    await expect(stint.complete({ type: 'waiting', key: 'other' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(stint.complete({ id: job.id }, 5n)).rejects.toMatchObject({ code: 'invalid_json' })
  })

  it('completes when all awaited events have come, each counted once, in any order', async () => {
    const { stint, job } = await started({
      events: [
        { eventType: 'paid', match: { ok: true } },
        { eventType: 'packed', times: 2 },
      ],
    })
    const say = (type: string, id: string, attributes = {}) =>
      stint.events.append({ type, id, attributes, job: job.id })
    expect(await say('packed', '1')).toEqual({ outcome: 'recorded' })
    expect(await say('packed', '1')).toEqual({ outcome: 'duplicate' })
    await say('paid', '2', { ok: false })
    await say('paid', '3', { ok: true })
    expect(await stint.jobs.get(job.id)).toMatchObject({ status: 'RUNNING' })
    await say('packed', '4')
    expect(await job.result()).toBeNull()
  })

  it('counts events that came before it waited, also those that its submission awaits', async () => {
    const { stint } = await setup()
    const early = await stint.submit(waiting, { events: [{ eventType: 'paid' }] })
    const awaits = { events: [{ eventType: 'paid' }] }
    const own = await stint.submit(waiting, {}, { awaits })
    for (const { id } of [early, own]) await stint.events.append({ type: 'paid', job: id })
    await startWorker(stint, { jobs: [waiting] })
    expect(await Promise.all([early.result(), own.result()])).toEqual([null, null])
  })

  it('fails for good by an event that says so', async () => {
    const { stint, job } = await started({ events: [{ eventType: 'paid' }], failOn: ['refused'] })
    await stint.events.append({ type: 'refused', job: job.id, source: 'bank', id: 'e1' })
    await expect(job.result()).rejects.toMatchObject({ code: 'job_failed', message: /Failed by the event.*e1/ })
    expect(await stint.jobs.get(job.id)).toMatchObject({ attempt: 1 })
  })

  it('waits no longer than asked', async () => {
    // Not by way of `started`: on a busy machine nobody may see it waiting.
    const { stint } = await setup()
    await startWorker(stint, { jobs: [waiting] })
    const job = await stint.submit(waiting, { timeoutMs: 30 }, { maxAttempts: 1 })
    await expect(job.result()).rejects.toMatchObject({ code: 'job_failed', message: /ran out of time/ })
    expect((await stint.runs.list({ job: job.id })).items).toMatchObject([{ status: 'FAILED', reason: 'timeout' }])
  })

  it('fails for good when what it awaits makes no sense', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [waiting] })
    const job = await stint.submit(waiting, { events: [{ eventType: 5 }] } as never)
    await expect(job.result()).rejects.toMatchObject({ code: 'job_failed', message: /awaits\.events\[0\]\.eventType/ })
  })
})
