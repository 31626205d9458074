import { hash } from 'node:crypto'
import type { Context } from '../../core/job/commands.ts'
import { JobName, nominalInstant } from '../../core/names/job-name.ts'
import type { RecordEvent } from '../../core/records/events.ts'
import { advance, blockSchedule, dueInstants, jitterOf, type Overlap } from '../../core/schedule/schedule.ts'
import { apply } from '../apply.ts'
import type { Fired, JobTexture } from '../controls.ts'
import { withSettings } from '../settings.ts'
import type { StoredJob, Submission, SubmitResult } from '../store.ts'
import { type Manner, submit } from '../submit.ts'
import { heldJobs } from '../touch.ts'
import type { Transaction } from '../transaction.ts'
import { writeStep } from './record-steps.ts'
import { type ScheduleRecord, writeSchedule } from './schedule-record.ts'
import type { TemplateRecord } from './templates.ts'

/**
 * Fires a schedule that is due: its jobs, the record of each instant, and the next instant are one transaction. What is wrong
 * with a job is in the log, and the schedule goes on.
 */
export async function fireDue(tx: Transaction, record: ScheduleRecord): Promise<void> {
  const { body: schedule } = record
  const context = { actor: `schedule ${record.path}` }
  const due = dueInstants(schedule, tx.now)
  const reason = due.instants.length === 0 ? null : await blockedBy(tx, record)
  if (reason !== null) {
    await writeSchedule(tx, record, blockSchedule(schedule, reason), context)
    return
  }
  const events: RecordEvent[] = []
  if (due.missedFrom !== null) {
    events.push({ type: 'schedule.missed', data: { from: due.missedFrom, to: due.instants[0] ?? tx.now } })
  }
  for (const at of due.instants) {
    if (!(await tx.fires.add(record.pk, at))) continue
    const fired = await fireOne(tx, record, { at, overlap: schedule.overlap, nth: 0 }, context)
    events.push(eventOf(fired))
  }
  const body = advance(schedule, due)
  await writeStep(tx, record, { body, events, dueAt: body.nextTriggerAt }, context)
}

/** Why no job can be made any more. */
async function blockedBy(tx: Transaction, { body: { template } }: ScheduleRecord): Promise<string | null> {
  if (template === null) return null
  const [record] = (await tx.records.find('template', [template], 'keep')) as readonly TemplateRecord[]
  return record === undefined || record.body.status === 'ARCHIVED' ? 'the template is archived' : null
}

/** Fires now, beside the instants that are due by themselves. */
export async function trigger(
  tx: Transaction,
  record: ScheduleRecord,
  overlap: Overlap,
  context: Context,
): Promise<Fired> {
  let at = tx.now
  while (!(await tx.fires.add(record.pk, at))) at += 1
  const fired = await fireOne(tx, record, { at, overlap, nth: 0 }, context)
  const body = { ...record.body, lastTriggeredAt: at }
  await writeStep(tx, record, { body, events: [eventOf(fired, { manual: true })] }, context)
  return fired
}

export interface Firing {
  readonly at: number
  readonly overlap: Overlap
  /** How many jobs were made for the instant before. */
  readonly nth: number
  /** The job that is done again. */
  readonly retryOf?: string
}

/** Makes the job of an instant, of which there must be a record. */
export async function fireOne(
  tx: Transaction,
  record: ScheduleRecord,
  firing: Firing,
  context: Context,
): Promise<Fired> {
  const { at, overlap } = firing
  const manner = await mannerOf(tx, record, overlap)
  const [result] = await submit(tx, [submissionOf(tx, record, firing, context)], manner)
  return await settled(tx, record, at, result as SubmitResult)
}

async function settled(tx: Transaction, { pk }: ScheduleRecord, at: number, result: SubmitResult): Promise<Fired> {
  if (result.outcome === 'refused') return { at, jobId: null, outcome: 'refused', error: result.error.message }
  await tx.fires.setJob(pk, at, result.stored.guard.pk)
  const outcome = result.outcome === 'skipped' ? 'skipped' : 'created'
  return { at, jobId: result.stored.job.id, outcome, error: null }
}

export function eventOf({ at, jobId, outcome, error }: Fired, about: { readonly manual?: true } = {}): RecordEvent {
  return { type: 'schedule.fired', data: { at, jobId, outcome, ...(error === null ? {} : { error }), ...about } }
}

function submissionOf(
  tx: Transaction,
  { id: scheduleId, path, body }: ScheduleRecord,
  { at, nth, retryOf }: Firing,
  context: Context,
): Submission {
  const { template, type, jitterMs, overrides } = body
  const { params, ...settings } = overrides as unknown as JobTexture
  const submission: Submission = {
    id: jobIdOf(scheduleId, at, nth),
    name: JobName.parse(path).child(nominalInstant(at)).toWire(),
    scheduleId,
    scheduledFor: at + jitterOf(scheduleId, at, jitterMs),
    context: { ...context, cause: `${scheduleId}.${at}` },
    ...(template === null ? {} : { template }),
    ...(type === null ? {} : { type }),
    ...(params === undefined ? {} : { params: JSON.stringify(params) }),
    ...(retryOf === undefined ? {} : { retryOf }),
  }
  return withSettings(submission, settings, tx.now)
}

/** The same instant always has the same id: whatever else may fail, it cannot have two jobs. */
function jobIdOf(scheduleId: string, at: number, nth: number): string {
  const hex = hash('sha256', `${scheduleId} ${at} ${nth}`, 'hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

const plainly: Manner = { skip: null, waitsFor: [] }

async function mannerOf(tx: Transaction, record: ScheduleRecord, overlap: Overlap): Promise<Manner> {
  if (overlap === 'allow') return plainly
  const live = await liveJobs(tx, record)
  const [first] = live
  if (first === undefined) return plainly
  const skip = { skip: `overlap: ${first.job.name} is not over`, waitsFor: [] }
  if (overlap === 'skip') return skip
  if (overlap === 'queue-one') {
    const isWaiting = live.some(({ job }) => job.attempt === 0)
    return isWaiting ? skip : { skip: null, waitsFor: live.map(({ guard }) => guard.pk) }
  }
  await apply(
    tx,
    live.map(({ job }) => ({ job: job.id, command: { type: 'cancel', reason: 'overlap: the next one is due' } })),
  )
  const left = await tx.load(live.map(({ job }) => job.id))
  const open = left.filter(({ job }) => job.state !== 'final')
  return { skip: null, waitsFor: open.map(({ guard }) => guard.pk) }
}

const pageSize = 500

/** The jobs of a schedule that are not over, held: none ends before the transaction does. They are named below its path. */
async function liveJobs(tx: Transaction, { id, path }: ScheduleRecord): Promise<readonly StoredJob[]> {
  const live: StoredJob[] = []
  for (let from: string | null = null; ; ) {
    const page: readonly StoredJob[] = await tx.branch({ name: path, from, direction: 'down', limit: pageSize })
    live.push(...page.filter(({ job }) => job.scheduleId === id))
    if (page.length < pageSize) break
    from = page.at(-1)?.job.name ?? null
  }
  if (live.length === 0) return []
  const held = await heldJobs(
    tx,
    live.map(({ job }) => job.id),
  )
  return held.filter(({ job }) => job.state !== 'final')
}
