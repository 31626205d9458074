import type { AnyJob } from '../engine/handler.ts'
import { Slot } from '../engine/slots/slot.ts'
import { takeSlots } from '../engine/slots/take-slots.ts'
import type { SubmitOptions } from '../engine/submit-options.ts'

/** What may be said of a job over the wire. A transaction cannot. */
export interface RemoteSubmitOptions extends Omit<SubmitOptions, 'transaction'> {
  /** The attempt that submits it: the job is below its job, and is cancelled with it. */
  readonly parent?: { readonly jobId: string; readonly token: string }
}

/** One job of many. */
export interface RemoteSubmitItem {
  readonly job?: AnyJob | string | undefined
  readonly params?: unknown
  readonly options?: RemoteSubmitOptions
}

/** A job as it is sent: values to come stand beside the params, with the places where they go. */
export function sent({ job, params: given, options = {} }: RemoteSubmitItem): object {
  const { after = [], onUpstreamFailure, ...rest } = options
  const { params, needs } = takeSlots(given, {
    after,
    ...(onUpstreamFailure === undefined ? {} : { onUpstreamFailure }),
  })
  const placed = (needs?.list ?? []).flatMap(({ of, at }) => (at === null ? [] : [[at, of] as const]))
  const awaited = (needs?.list ?? []).flatMap(({ of, at }) => (at === null ? [of] : []))
  return {
    ...(typeof job === 'object' ? defaultsOf(job) : {}),
    ...rest,
    ...(job === undefined ? {} : { type: typeof job === 'string' ? job : job.type }),
    ...(params === undefined ? {} : { params }),
    ...(placed.length === 0 ? {} : { needs: Object.fromEntries(placed) }),
    ...(awaited.length === 0 ? {} : { after: awaited }),
    ...(onUpstreamFailure === undefined ? {} : { onUpstreamFailure }),
  }
}

/** What a definition says of its jobs goes with them: the server does not know it. */
function defaultsOf({ retry, timeoutMs, priority, limits }: AnyJob): object {
  const said = Object.entries({ retry, timeoutMs, priority, limits }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said)
}

export function outputOf<Value>(id: string): Slot<Value> {
  return new Slot<Value>(id, id.slice(id.lastIndexOf(':') + 1))
}
