import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { Tracing } from '../../src/engine/tracing.ts'
import { defineJob } from '../../src/index.ts'
import { onBothStores, setupStint, startWorker } from '../support/stint.ts'

interface FakeSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parent: string | null
  readonly attributes: Record<string, unknown>
  status: { code: number; message?: string } | null
  ended: number
}

type Context = { readonly traceId: string; readonly spanId: string; readonly traceFlags: number } | undefined

/** As much of the OpenTelemetry API as is used, with all spans that were made. */
function fakeApi() {
  const active = new AsyncLocalStorage<Context>()
  const spans: FakeSpan[] = []
  const tracer = {
    startActiveSpan<T>(name: string, options: object, context: unknown, work: (span: never) => T): T {
      const parent = context as Context
      const spanId = (spans.length + 1).toString(16).padStart(16, '0')
      const traceId = parent?.traceId ?? (spans.length + 1).toString(16).padStart(32, 'a')
      const { attributes } = options as { attributes: Record<string, unknown> }
      const span: FakeSpan = {
        name,
        traceId,
        spanId,
        parent: parent?.spanId ?? null,
        attributes,
        status: null,
        ended: 0,
      }
      spans.push(span)
      const made = {
        spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
        setAttribute: (key: string, value: unknown) => Object.assign(attributes, { [key]: value }),
        setStatus: (status: FakeSpan['status']) => Object.assign(span, { status }),
        recordException: () => {},
        end: () => Object.assign(span, { ended: span.ended + 1 }),
      }
      return active.run({ traceId, spanId, traceFlags: 1 }, () => work(made as never))
    },
  }
  const api = {
    trace: {
      getTracer: () => tracer,
      getActiveSpan: () => undefined,
      setSpanContext: (_: unknown, span: Context) => span,
    },
    context: { active: () => active.getStore() },
    SpanKind: { PRODUCER: 3, CONSUMER: 4 },
    SpanStatusCode: { ERROR: 2 },
  }
  return { api, spans, tracing: new Tracing(api as never) }
}

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

onBothStores('traces', (setup) => {
  it('go from the submission through the run to the jobs that it submits', async () => {
    const { spans, tracing } = fakeApi()
    const { stint } = await setup({ tracing })
    const child = defineJob('child', { run: () => null })
    const parent = defineJob('parent', { run: async (ctx) => void (await (await ctx.submit(child)).result()) })
    await startWorker(stint, { jobs: [parent, child] })
    const job = await stint.submit(parent)
    await job.result()
    expect(spans.map(({ name }) => name)).toEqual(['submit parent', 'run parent', 'submit child', 'run child'])
    for (const [i, span] of spans.entries()) {
      expect(span).toMatchObject({ traceId: spans[0]?.traceId, parent: spans[i - 1]?.spanId ?? null, ended: 1 })
    }
    expect(spans[1]?.attributes).toMatchObject({ 'stint.job.name': job.name, 'stint.run.ending': 'completed' })
    const { items } = await stint.events.list({ job: job.id })
    const ids = items.map(({ eventType, traceId, spanId }) => [eventType, traceId, spanId])
    expect(ids).toEqual([
      ['job.created', spans[0]?.traceId, spans[0]?.spanId],
      ['job.run.started', null, null],
      ['job.run.completed', spans[1]?.traceId, spans[1]?.spanId],
    ])
  })

  it('say when a run has failed', async () => {
    const { spans, tracing } = fakeApi()
    const { stint } = await setup({ tracing })
    const bad = defineJob('bad', {
      retry: { maxAttempts: 1 },
      run: () => {
        throw new Error('broken')
      },
    })
    await startWorker(stint, { jobs: [bad] })
    await expect((await stint.submit(bad)).result()).rejects.toThrow()
    expect(spans[1]).toMatchObject({ name: 'run bad', status: { code: 2, message: 'broken' }, ended: 1 })
    await expect(stint.submit('x', 5n)).rejects.toThrow()
    expect(spans[2]).toMatchObject({ name: 'submit x', status: { code: 2 }, ended: 1 })
  })

  it('go on from the span of whoever submits, and nothing is made where nobody keeps it', async () => {
    const { api, spans } = fakeApi()
    const nobody = { ...api.trace, getTracerProvider: () => ({ getDelegateTracer: () => undefined }) }
    const [, traceId, spanId] = traceparent.split('-') as [string, string, string]
    const active = { spanContext: () => ({ traceId, spanId, traceFlags: 1 }) }
    const around = new Tracing({ ...api, trace: { ...nobody, getActiveSpan: () => active } } as never)
    expect(await around.inSubmitSpan('x', async (trace, ids) => [trace, ids])).toEqual([
      traceparent,
      { traceId, spanId },
    ])
    const alone = new Tracing({ ...api, trace: nobody } as never)
    expect(await alone.inSubmitSpan('x', async (trace, ids) => [trace, ids])).toEqual([null, {}])
    expect(spans).toEqual([])
  })

  it('go on from a traceparent, without the package too', async () => {
    const { stint, store } = await setup()
    const job = defineJob('job', { run: () => null })
    await startWorker(stint, { jobs: [job] })
    const submitted = await stint.submit(job, undefined, { traceparent })
    await submitted.result()
    const { items } = await stint.events.list({ job: submitted.id })
    const traced = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
    expect(items.filter(({ eventType }) => eventType !== 'job.run.started')).toMatchObject([traced, traced])
    const [stored] = await store.find([{ name: submitted.name }])
    expect(stored?.trace).toBe(traceparent)
  })

  it('that make no sense are no reason not to run', async () => {
    const { stint } = await setup()
    const job = defineJob('job', { run: () => 'ran' })
    await startWorker(stint, { jobs: [job] })
    expect(await (await stint.submit(job, undefined, { traceparent: 'nonsense' })).result()).toBe('ran')
  })
})

describe('a tracer that fails', () => {
  it('fails the attempt and not the worker', async () => {
    let isBroken = true
    const { tracing } = fakeApi()
    const inRunSpan = tracing.inRunSpan.bind(tracing)
    tracing.inRunSpan = (...args) => (isBroken ? Promise.reject(new Error('no tracer')) : inRunSpan(...args))
    const { stint } = await setupStint({ tracing })
    const job = defineJob('job', { retry: { maxAttempts: 1 }, run: () => 'ran' })
    await startWorker(stint, { jobs: [job], concurrency: 1 })
    await expect((await stint.submit(job)).result()).rejects.toThrow(/no tracer/)
    isBroken = false
    expect(await (await stint.submit(job)).result()).toBe('ran')
  })
})
