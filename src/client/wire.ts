import { type ErrorDetails, StintError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { OutsideEventInput } from '../engine/events-api.ts'
import type { PauseTarget } from '../engine/gates-api.ts'
import type { Instant } from '../engine/instants.ts'
import type { JobView } from '../engine/job-view.ts'
import type { MoveTarget } from '../engine/jobs-api.ts'
import type { Outlook } from '../engine/preview-fires.ts'
import type { JobReference } from '../engine/references.ts'
import { Slot } from '../engine/slots/slot.ts'
import type { AnswerReference } from '../engine/stint.ts'

/** What the library takes and gives, as it goes over the wire. */

export type Appended = { readonly outcome: 'recorded' | 'duplicate' }

export function eventBody({ job, ...rest }: OutsideEventInput): object {
  return { ...rest, ...(job === undefined ? {} : { job: textOf(job) }) }
}

export interface ProblemLike {
  readonly code: StintError['code']
  readonly detail: string
  readonly [field: string]: unknown
}

export function errorOfProblem({
  code,
  detail,
  type: _,
  title: __,
  status: ___,
  retryable: ____,
  ...details
}: ProblemLike) {
  return new StintError(code, detail, details as ErrorDetails)
}

export function resultOf({ id: jobId, name, outcome, status, result, error, attempt }: JobView): Json {
  if (outcome === 'COMPLETED' && status === null) return result
  const details = { jobId, name, attempt, error }
  if (status === 'CANCELLED') throw new StintError('job_cancelled', `Job ${name} was cancelled: ${error}`, details)
  if (outcome === 'SKIPPED') throw new StintError('job_skipped', `Job ${name} was skipped: ${error}`, details)
  throw new StintError('job_failed', `Job ${name} failed after ${attempt} attempts: ${error}`, details)
}

export function part(text: string): string {
  return encodeURIComponent(text)
}

export function textOf(reference: JobReference): string {
  if (typeof reference === 'string') return reference
  return 'id' in reference ? reference.id : reference.toString()
}

export function slotText(slot: Slot<unknown> | string): string {
  return slot instanceof Slot ? slot.id : slot
}

export function placeOf(to: MoveTarget): unknown {
  if (typeof to === 'string') return to
  return 'before' in to ? { before: textOf(to.before) } : { after: textOf(to.after) }
}

export function targetOf(target: PauseTarget): { readonly path?: string; readonly type?: string } {
  return typeof target === 'string' ? { path: target } : target
}

export function referenceOf(reference: AnswerReference): object {
  return 'id' in reference ? { job: reference.id.toString() } : reference
}

export function instantText(instant: Instant): string {
  return instant instanceof Date ? instant.toISOString() : String(instant)
}

/** An instant that may be left out, as it is sent. */
export function given(instant: Instant | null | undefined): string | undefined {
  return instant === undefined || instant === null ? undefined : new Date(instant).toISOString()
}

/** A list of instants has no names that would say so. */
export function outlookOf({ fires, ...rest }: Omit<Outlook, 'fires'> & { readonly fires: readonly string[] }): Outlook {
  return { ...rest, fires: fires.map((fire) => new Date(fire)) }
}
