import { context, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { createStint, defineJob, TerminalError } from '../../src/index.ts'

/** The real OpenTelemetry, as a user would set it up. */
const exporter = new InMemorySpanExporter()
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
beforeEach(() => exporter.reset())
afterAll(() => {
  trace.disable()
  context.disable()
})

const outer = trace.getTracer('test')

const child = defineJob('child', { run: () => trace.getActiveSpan()?.spanContext().traceId })
const parent = defineJob('parent', {
  run: async (ctx) => await (await ctx.submit(child, undefined, { name: 'child' })).result(),
})
const broken = defineJob('broken', {
  run: () => {
    throw new TerminalError('no')
  },
})

async function setup() {
  const stint = await createStint({ url: 'sqlite::memory:' })
  onTestFinished(() => stint.close())
  await stint.worker({ jobs: [parent, child, broken], pollMs: 20 }).start()
  return stint
}

const spanNamed = (name: string) => {
  const span = exporter.getFinishedSpans().find((each) => each.name === name)
  if (span === undefined) throw new Error(`There is no span ${name}.`)
  return span
}

test('a trace goes on from where a job is submitted to where it runs, and from there to its children', async () => {
  const stint = await setup()
  const { job, traceId } = await outer.startActiveSpan('request', async (span) => {
    const submitted = await stint.submit(parent, undefined, { name: '/traced/parent' })
    span.end()
    return { job: submitted, traceId: span.spanContext().traceId }
  })
  expect(await job.result()).toBe(traceId)
  const [submit, run, submitChild] = ['submit parent', 'run parent', 'submit child'].map(spanNamed)
  expect(run?.parentSpanContext?.spanId).toBe(submit?.spanContext().spanId)
  expect(submitChild?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId)
  expect(spanNamed('run child').parentSpanContext?.spanId).toBe(submitChild?.spanContext().spanId)
  expect(run?.attributes).toMatchObject({ 'stint.job.name': '/traced/parent', 'stint.run.ending': 'completed' })
})

test('the ids stand on the events of the job', async () => {
  const stint = await setup()
  const job = await stint.submit(child)
  await job.result()
  const { items } = await stint.events.list({ job: job.id })
  const [created, , completed] = items
  expect(created).toMatchObject({ eventType: 'job.created', spanId: spanNamed('submit child').spanContext().spanId })
  expect(completed).toMatchObject({
    eventType: 'job.run.completed',
    traceId: created?.traceId,
    spanId: spanNamed('run child').spanContext().spanId,
    executionId: `${job.id}-run-1`,
  })
})

test('a failed run has a span that says so', async () => {
  const stint = await setup()
  const job = await stint.submit(broken)
  await expect(job.result()).rejects.toMatchObject({ code: 'job_failed' })
  expect(spanNamed('run broken')).toMatchObject({ status: { message: 'no' } })
})

test('trace context can be given by hand, as it comes with a request', async () => {
  const stint = await setup()
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const job = await stint.submit(child, undefined, { traceparent: `00-${traceId}-b7ad6b7169203331-01` })
  expect(await job.result()).toBe(traceId)
})
