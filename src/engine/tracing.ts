import type { Context } from '../core/job/commands.ts'
import type { StoredJob } from '../store/store.ts'

/** The little of the OpenTelemetry API that is used. The package is the user's: without it, there are no traces. */
interface Api {
  readonly trace: {
    getTracer(name: string): Tracer
    /** What stands for a provider until the program names one tells by this that there is none. */
    getTracerProvider?(): { getDelegateTracer?(name: string): unknown }
    getActiveSpan(): Span | undefined
    setSpanContext(context: unknown, span: SpanContext): unknown
  }
  readonly context: { active(): unknown }
  readonly SpanKind: { readonly PRODUCER: number; readonly CONSUMER: number }
  readonly SpanStatusCode: { readonly ERROR: number }
}

interface Tracer {
  startActiveSpan<T>(name: string, options: object, context: unknown, work: (span: Span) => T): T
}

interface Span {
  spanContext(): SpanContext
  setAttribute(name: string, value: string | number): unknown
  setStatus(status: { code: number; message?: string }): unknown
  recordException(error: Error): void
  end(): void
}

interface SpanContext {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
  readonly isRemote?: boolean
}

/** Ids as they are stored on events. */
export type TraceIds = Pick<Context, 'traceId' | 'spanId'>

/** What a run says of its end, for its span. */
interface Ended {
  readonly ending: { readonly kind: string; readonly error?: string }
}

/** Carries traces from where a job is submitted to where it runs, as W3C trace context. */
export class Tracing {
  readonly #api: Api | null

  constructor(api: Api | null) {
    this.#api = api
  }

  static async load(): Promise<Tracing> {
    try {
      const name = '@opentelemetry/api'
      return new Tracing((await import(name)) as Api)
    } catch {
      return new Tracing(null)
    }
  }

  inSubmitSpan<T>(type: string, submit: (traceparent: string | null, ids: TraceIds) => Promise<T>): Promise<T> {
    const api = this.#api
    if (api === null) return submit(null, noIds)
    // Without somebody who keeps spans none are made, and the trace of whoever submits goes on as it is.
    if (!isKept(api)) return submitWithin(api.trace.getActiveSpan(), submit)
    const options = { kind: api.SpanKind.PRODUCER, attributes: { 'stint.job.type': type } }
    const tracer = api.trace.getTracer('stint')
    return tracer.startActiveSpan(`submit ${type}`, options, api.context.active(), async (span) => {
      return await ended(span, api, () => submit(traceparentOf(span.spanContext()), idsOf(span)))
    })
  }

  inRunSpan<T extends Ended>(stored: StoredJob, runId: string, run: (ids: TraceIds) => Promise<T>): Promise<T> {
    const api = this.#api
    // Without somebody who keeps them the trace goes on all the same, for whoever reads the ids on the events.
    if (api === null || !isKept(api)) return run(idsOfTrace(stored.trace))
    return inSpanOf(api, stored, runId, run)
  }
}

function submitWithin<T>(
  span: Span | undefined,
  submit: (traceparent: string | null, ids: TraceIds) => Promise<T>,
): Promise<T> {
  return span === undefined ? submit(null, noIds) : submit(traceparentOf(span.spanContext()), idsOf(span))
}

/** Whether the program has said where its traces go. It may do so at any time; until then spans would be made for nobody. */
function isKept({ trace }: Api): boolean {
  const provider = trace.getTracerProvider?.()
  return provider?.getDelegateTracer === undefined || provider.getDelegateTracer('stint') !== undefined
}

async function inSpanOf<T extends Ended>(
  api: Api,
  { job, trace }: StoredJob,
  runId: string,
  run: (ids: TraceIds) => Promise<T>,
): Promise<T> {
  const parent = parsed(trace)
  const active = api.context.active()
  const context = parent === null ? active : api.trace.setSpanContext(active, { ...parent, isRemote: true })
  const attributes = { 'stint.job.name': job.name, 'stint.run.id': runId, 'stint.job.attempt': job.attempt }
  const options = { kind: api.SpanKind.CONSUMER, attributes: { 'stint.job.type': job.type, ...attributes } }
  return await api.trace.getTracer('stint').startActiveSpan(`run ${job.type}`, options, context, async (span) => {
    return await ended(span, api, async () => {
      const outcome = await run(idsOf(span))
      span.setAttribute('stint.run.ending', outcome.ending.kind)
      if (outcome.ending.error !== undefined) {
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: outcome.ending.error })
      }
      return outcome
    })
  })
}

async function ended<T>(span: Span, api: Api, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    span.setStatus({ code: api.SpanStatusCode.ERROR })
    if (error instanceof Error) span.recordException(error)
    throw error
  } finally {
    span.end()
  }
}

const noIds: TraceIds = {}

/** The ids of a W3C trace context; none when it is not one. */
export function idsOfTrace(traceparent: string | null): TraceIds {
  const parent = parsed(traceparent)
  return parent === null ? noIds : { traceId: parent.traceId, spanId: parent.spanId }
}

function idsOf(span: Span): TraceIds {
  const { traceId, spanId } = span.spanContext()
  return /^0+$/.test(traceId) ? {} : { traceId, spanId }
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string | null {
  return /^0+$/.test(traceId) ? null : `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

function parsed(traceparent: string | null): SpanContext | null {
  if (traceparent === null) return null
  const parts = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent)
  if (parts === null) return null
  return { traceId: parts[1] ?? '', spanId: parts[2] ?? '', traceFlags: Number.parseInt(parts[3] ?? '0', 16) }
}
