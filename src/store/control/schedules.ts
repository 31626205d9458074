import { StintError } from '../../core/errors.ts'
import type { Context } from '../../core/job/commands.ts'
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  disableSchedule,
  enableSchedule,
  type ScheduleContent,
} from '../../core/schedule/schedule.ts'
import { checkBoolean, checkInteger, checkObject, checkUuid, refuse } from '../check-input.ts'
import type {
  BackfillInput,
  Fired,
  FireReport,
  ListInput,
  NewSchedule,
  OneSchedule,
  ScheduleControls,
  ScheduleInput,
  ScheduleRow,
} from '../controls.ts'
import type { Transaction } from '../transaction.ts'
import { backfill } from './backfill.ts'
import { fireDue, trigger } from './fire.ts'
import { checkPath, checkRef, createRecord, listRecords, requireRecord } from './record-steps.ts'
import { checkOverlap, checkScheduleInput } from './schedule-input.ts'
import { type ScheduleRecord, writeSchedule } from './schedule-record.ts'
import type { TemplateRecord } from './templates.ts'

export const scheduleControls = {
  'schedule.create': async (tx: Transaction, given: NewSchedule, context: Context): Promise<ScheduleRow> => {
    const input = checkObject(given, 'a schedule') as NewSchedule
    const content = await contentOf(tx, input, null)
    const enabled = checkBoolean(input.enabled ?? true, 'enabled')
    const { schedule, events } = createSchedule(content, enabled, tx.now)
    const path = checkPath(input.path)
    const step = { body: schedule, events, dueAt: schedule.nextTriggerAt }
    return rowOf(await createRecord(tx, { kind: 'schedule', id: checkUuid(input.id, 'id'), path, ...step }, context))
  },
  'schedule.change': async (
    tx: Transaction,
    { schedule: ref, changes }: ScheduleControls['schedule.change']['input'],
    context: Context,
  ): Promise<ScheduleRow> => {
    const input = checkObject(changes, 'changes') as ScheduleInput
    const record = await held(tx, ref)
    const content = await contentOf(tx, input, record.body)
    const changed = Object.fromEntries(
      Object.entries(content).filter(([name, value]) => {
        return JSON.stringify(value) !== JSON.stringify(record.body[name as keyof ScheduleContent])
      }),
    )
    if (Object.keys(changed).length === 0) return rowOf(record)
    return rowOf(await writeSchedule(tx, record, changeSchedule(record.body, changed, tx.now), context))
  },
  'schedule.enable': async (tx: Transaction, { schedule }: OneSchedule, context: Context): Promise<ScheduleRow> => {
    const record = await held(tx, schedule)
    if (record.body.template !== null) await usableTemplate(tx, record.body.template)
    return rowOf(await writeSchedule(tx, record, enableSchedule(record.body, tx.now), context))
  },
  'schedule.disable': async (tx: Transaction, { schedule }: OneSchedule, context: Context): Promise<ScheduleRow> => {
    const record = await held(tx, schedule)
    return rowOf(await writeSchedule(tx, record, disableSchedule(record.body), context))
  },
  'schedule.delete': async (tx: Transaction, { schedule }: OneSchedule, context: Context): Promise<ScheduleRow> => {
    const record = await held(tx, schedule)
    return rowOf(await writeSchedule(tx, record, deleteSchedule(record.body), context))
  },
  'schedule.get': async (tx: Transaction, { schedule }: OneSchedule): Promise<ScheduleRow | null> => {
    const [record] = await tx.records.find('schedule', [checkRef('schedule', schedule)], 'read')
    return record === undefined ? null : rowOf(record as ScheduleRecord)
  },
  'schedule.list': async (tx: Transaction, input: ListInput) => {
    const { records, next } = await listRecords(tx, 'schedule', input)
    return { items: records.map((record) => rowOf(record as ScheduleRecord)), next }
  },
  'schedule.fire': async (tx: Transaction, { skip = 0 }: { skip?: number }): Promise<FireReport> => {
    const record = await tx.records.due('schedule', checkInteger(skip, 'skip', 0, 1_000_000))
    if (record !== null) await fireDue(tx, record as ScheduleRecord)
    const nextAt = record === null ? await tx.records.nextDue('schedule') : tx.now
    return { isDue: record !== null, nextInMs: nextAt === null ? null : Math.max(0, nextAt - tx.now) }
  },
  'schedule.trigger': async (
    tx: Transaction,
    { schedule, overlap }: ScheduleControls['schedule.trigger']['input'],
    context: Context,
  ): Promise<Fired> => {
    const record = await held(tx, schedule)
    if (record.body.status === 'DELETED') throw new StintError('not_found', `The schedule ${record.path} is deleted.`)
    if (record.body.template !== null) await usableTemplate(tx, record.body.template)
    return await trigger(tx, record, overlap === undefined ? record.body.overlap : checkOverlap(overlap), context)
  },
  'schedule.backfill': async (tx: Transaction, input: BackfillInput, context: Context) => {
    const record = await held(tx, input.schedule)
    if (record.body.template !== null) await usableTemplate(tx, record.body.template)
    return await backfill(tx, record, input, context)
  },
}

async function held(tx: Transaction, ref: string): Promise<ScheduleRecord> {
  return (await requireRecord(tx, 'schedule', ref, 'change')) as ScheduleRecord
}

/** Of a template, or of a type; and not of both. */
async function contentOf(
  tx: Transaction,
  input: ScheduleInput,
  before: ScheduleContent | null,
): Promise<ScheduleContent> {
  const checked = checkScheduleInput(input, before)
  const { template: ref } = input
  const named = ref === undefined || ref === null ? null : (await usableTemplate(tx, ref)).id
  const template = ref === undefined ? (before?.template ?? null) : named
  if ((template === null) === (checked.type === null)) {
    throw refuse('template', ref, 'or type must be given, and not both')
  }
  return { ...checked, template }
}

async function usableTemplate(tx: Transaction, ref: string): Promise<TemplateRecord> {
  const record = (await requireRecord(tx, 'template', ref, 'keep')) as TemplateRecord
  if (record.body.status !== 'ARCHIVED') return record
  const { path } = record
  throw new StintError('template_archived', `The template ${path} is archived: no new job is made of it.`, { path })
}

function rowOf({ id, path, version, createdAt, updatedAt, body }: ScheduleRecord): ScheduleRow {
  return { ...body, id, path, version, createdAt, updatedAt }
}
