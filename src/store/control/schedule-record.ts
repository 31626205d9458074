import type { Context } from '../../core/job/commands.ts'
import type { Schedule, ScheduleStep } from '../../core/schedule/schedule.ts'
import type { StoredRecord } from '../records.ts'
import type { Transaction } from '../transaction.ts'
import { writeStep } from './record-steps.ts'

export type ScheduleRecord = StoredRecord<Schedule>

/** Writes what a schedule has become. A deleted one leaves its path to others. */
export async function writeSchedule(
  tx: Transaction,
  record: ScheduleRecord,
  { schedule, events }: ScheduleStep,
  context: Context,
): Promise<ScheduleRecord> {
  if (events.length === 0) return record
  const step = { body: schedule, events, dueAt: schedule.nextTriggerAt, released: schedule.status === 'DELETED' }
  return await writeStep(tx, record, step, context)
}
