import { expect, it } from 'vitest'
import { defineJob, TerminalError } from '../../src/index.ts'
import { gate, onBothStores, startWorker } from '../support/stint.ts'

const echo = defineJob('echo', { run: ({ params }) => params })
const fail = defineJob('fail', {
  run: () => {
    throw new TerminalError('no way')
  },
})

onBothStores('result', (setup) => {
  it('gives what the handler returned, also when the job is over already', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [echo] })
    for (const params of [{ a: [1, 'x', null] }, 'text', 0, false, null]) {
      const job = await stint.submit(echo, params)
      expect(await job.result()).toEqual(params)
      expect(await job.result()).toEqual(params)
      expect(await stint.jobs.result(job.id)).toEqual(params)
    }
  })

  it('rejects with how the job ended instead', async () => {
    const { stint } = await setup()
    await startWorker(stint, { jobs: [fail] })
    const failed = await stint.submit(fail)
    await expect(failed.result()).rejects.toMatchObject({ code: 'job_failed', details: { error: 'no way' } })
    const cancelled = await stint.submit('other')
    await stint.jobs.cancel(cancelled.id, { reason: 'not needed' })
    await expect(cancelled.result()).rejects.toMatchObject({
      code: 'job_cancelled',
      message: `Job ${cancelled.name} was cancelled: not needed`,
    })
    const late = await stint.submit('other', null, { expiresAt: new Date(1) })
    await expect(late.result()).rejects.toMatchObject({ code: 'job_skipped' })
    await expect(stint.jobs.result('/no/job')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('waits no longer than asked, and stops when its signal aborts', async () => {
    const { stint } = await setup()
    const job = await stint.submit('other')
    await expect(job.result({ timeoutMs: 1 })).rejects.toMatchObject({ code: 'wait_timeout', retryable: true })
    const reason = new Error('enough')
    await expect(job.result({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const stop = new AbortController()
    const waiting = job.result({ signal: stop.signal, timeoutMs: 60_000 })
    stop.abort(reason)
    await expect(waiting).rejects.toBe(reason)
  })

  it('hears of a job that another process ends', async () => {
    const { stint, open } = await setup()
    const other = await open()
    const job = await stint.submit(echo, 'far')
    const result = job.result()
    await startWorker(other, { jobs: [echo] })
    expect(await result).toBe('far')
  })

  it('is heard though another job that is waited for cannot be read', async () => {
    const { stint, open, raw } = await setup()
    const [poisoned, job] = [await stint.submit('other'), await stint.submit(echo, 'fine')]
    await raw(`update jobs set options = '{nonsense' where name = '${poisoned.name}'`)
    poisoned.result().catch(() => {})
    const result = job.result()
    await startWorker(await open(), { jobs: [echo] })
    expect(await result).toBe('fine')
  })

  it('serves a thousand who wait, for one job and for many', async () => {
    const { stint } = await setup()
    const open = gate()
    const slow = defineJob('slow', { run: () => open.promise.then(() => 'done') })
    await startWorker(stint, { jobs: [slow, echo] })
    const one = await stint.submit(slow)
    const same = Array.from({ length: 500 }, () => one.result())
    const settled = await stint.submitMany(Array.from({ length: 500 }, (_, i) => ({ job: echo, params: i })))
    const many = settled.map((each) => (each.status === 'fulfilled' ? each.value.result() : null))
    expect(await Promise.all(many)).toEqual(Array.from({ length: 500 }, (_, i) => i))
    open.resolve()
    expect(new Set(await Promise.all(same))).toEqual(new Set(['done']))
  })

  it('does not wait for a Stint that is closed', async () => {
    const { stint } = await setup()
    const job = await stint.submit('other')
    const waiting = job.result()
    waiting.catch(() => {})
    await stint.close()
    await expect(waiting).rejects.toMatchObject({ code: 'store_closed' })
    await expect(job.result()).rejects.toMatchObject({ code: 'store_closed' })
  })
})
