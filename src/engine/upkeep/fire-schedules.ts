import type { Env } from '../env.ts'
import { eachDue } from './each-due.ts'

/** Fires every schedule that is due, and tells in how many milliseconds the next one is; null when none is. */
export async function fireSchedules(env: Env): Promise<number | null> {
  return await eachDue(env, { service: 'schedules', control: 'schedule.fire', counter: 'stint_schedules_fired' })
}
