import type { z } from 'zod'
import { StintError, show } from '../core/errors.ts'
import { SlotId } from '../core/names/ids.ts'
import type { JobHandle } from '../engine/job-handle.ts'
import type { JobView } from '../engine/job-view.ts'
import { Slot } from '../engine/slots/slot.ts'
import type { SubmitItem } from '../engine/submitter.ts'
import { attempt, isUuid } from '../store/check-input.ts'
import { withField } from './field-of.ts'
import { idWithin } from './idempotency.ts'
import { problemOf } from './problem.ts'
import type { Call } from './route.ts'
import type { newJob } from './schemas/jobs.ts'
import { shownJob } from './shown-job.ts'

/** What a submission has to know of the request that it came with. */
type Asking = Pick<Call<unknown, unknown, unknown>, 'stint' | 'once'>

type NewJob = z.output<typeof newJob>

/** What the library submits, of the n-th job that was sent. */
export function itemOf({ once }: Asking, given: NewJob, n = 0): SubmitItem {
  const { type, params, needs = {}, after, parent, ...options } = given
  if (type === undefined && options.template === undefined) throw noType()
  return {
    job: type,
    params: withSlots(params, needs),
    // Absent fields are absent: what the schema leaves undefined was not sent.
    options: {
      ...options,
      ...(after === undefined ? {} : { after: after.map(slotOf) }),
      ...(once === null ? {} : { id: idWithin(once, n) }),
    } as NonNullable<SubmitItem['options']>,
    ...(parent === undefined ? {} : { parent: { job: parent.jobId, token: parent.token } }),
  }
}

function noType(): StintError {
  const rule = 'must be given, unless a template says it'
  return new StintError('invalid_argument', `type ${rule}.`, { field: 'type', rule })
}

/** The job that was submitted, as it is shown. */
export async function submitOne(asking: Asking, given: NewJob) {
  const item = itemOf(asking, given)
  if (item.parent !== undefined) return shownJob(await submitChild(asking, item))
  const { job, params, options } = item
  // Without a type there is a template, which has one.
  return shownJob((await asking.stint.submit(job as string, params, options)).toJSON())
}

async function submitChild({ stint }: Asking, item: SubmitItem): Promise<JobView> {
  const [result] = await stint.submitMany([item])
  if (result?.status !== 'fulfilled') throw result?.reason
  return result.value.toJSON()
}

/** What became of many, each in its place. */
export async function submitEach(
  asking: Asking,
  given: readonly (NewJob | StintError)[],
  submitMany: (items: readonly SubmitItem[]) => Promise<readonly PromiseSettledResult<JobHandle>[]>,
) {
  const items = given.map((each, n) => (each instanceof StintError ? each : attempt(() => itemOf(asking, each, n))))
  const valid = items.filter((item): item is SubmitItem => !(item instanceof StintError))
  const made = [...(valid.length === 0 ? [] : await submitMany(valid))]
  return {
    results: items.map((item, n) => {
      if (item instanceof StintError) return { problem: problemOf(withField(item, given[n])) }
      const result = made.shift() as PromiseSettledResult<JobHandle>
      if (result.status === 'fulfilled') return { job: shownJob(result.value.toJSON()) }
      return { problem: problemOf(withField(result.reason, given[n])) }
    }),
  }
}

export function slotOf(id: string): Slot<unknown> {
  return isUuid(id) ? new Slot(id, id) : new Slot(id, SlotId.parse(id).name)
}

/** Params with slots where the pointers say. */
function withSlots(params: unknown, needs: Readonly<Record<string, string>>): unknown {
  const pointers = Object.entries(needs)
  if (pointers.length === 0) return params
  const root: { value: unknown } = { value: params }
  for (const [pointer, id] of pointers) place(root, pointer, slotOf(id))
  return root.value
}

function place(root: { value: unknown }, pointer: string, slot: Slot<unknown>): void {
  if (pointer !== '' && !pointer.startsWith('/')) throw badPointer(pointer, 'must be a JSON pointer, such as /rows')
  const parts = ['value', ...pointer.split('/').slice(1).map(unescaped)]
  let holder: object = root
  for (const part of parts.slice(0, -1)) {
    const next: unknown = Object.hasOwn(holder, part) ? Reflect.get(holder, part) : undefined
    if (typeof next !== 'object' || next === null || next instanceof Slot) {
      throw badPointer(pointer, 'must lead to a place in the params')
    }
    holder = next
  }
  const last = parts.at(-1) ?? ''
  const isThere = !Array.isArray(holder) || (/^(?:0|[1-9]\d{0,8})$/.test(last) && Number(last) < holder.length)
  if (!isThere) throw badPointer(pointer, 'must lead to a place in the params')
  Object.defineProperty(holder, last, { value: slot, enumerable: true, configurable: true, writable: true })
}

function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function badPointer(pointer: string, rule: string): StintError {
  return new StintError('invalid_argument', `needs ${rule}; got ${show(pointer)}.`, { field: 'needs', rule })
}
