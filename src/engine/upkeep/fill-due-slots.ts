import type { Env } from '../env.ts'
import { eachDue } from './each-due.ts'

/** Fills every slot whose time has come, and tells in how many milliseconds the next one is due; null when none is. */
export async function fillDueSlots(env: Env): Promise<number | null> {
  return await eachDue(env, { service: 'slots', control: 'slot.due', counter: 'stint_slots_filled_by_time' })
}
