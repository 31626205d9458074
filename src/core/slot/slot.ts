import { StintError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { RecordEvent } from '../records/events.ts'

/** OPEN until it is filled, or until it is certain that it never will be. Both are for ever. */
export type SlotStatus = 'OPEN' | 'FILLED' | 'FAILED'

/** A value to come that no job is there to give: somebody outside fills it, or time does. Write-once. */
export interface Slot {
  readonly status: SlotStatus
  readonly label: string | null
  /** When it fills itself; null when others have to. */
  readonly dueAt: number | null
  /** JSON text. Of one that is open: what time will fill it with. */
  readonly value: string | null
  /** Why it will never have a value. */
  readonly error: string | null
  /** Who filled it: a person, a run, a key, the clock. */
  readonly filledBy: string | null
  readonly settledAt: number | null
  /** UUID of the job that made it; null when somebody outside did. */
  readonly madeBy: string | null
}

export interface SlotStep {
  readonly slot: Slot
  readonly events: readonly RecordEvent[]
}

export interface NewSlot {
  readonly label: string | null
  readonly dueAt: number | null
  /** Of a slot that fills itself: the value that it will have. */
  readonly value: string | null
  readonly madeBy: string | null
}

export function createSlot({ label, dueAt, value, madeBy }: NewSlot): SlotStep {
  const open = { status: 'OPEN', error: null, filledBy: null, settledAt: null } as const
  const data: JsonObject = { label, ...(dueAt === null ? {} : { dueAt }), ...(madeBy === null ? {} : { madeBy }) }
  return { slot: { ...open, label, dueAt, value, madeBy }, events: [{ type: 'slot.created', data }] }
}

export interface Filling {
  readonly value: string
  readonly by: string
}

/** The same value again is success; another is refused. The log says who filled it, the slot itself with what. */
export function fillSlot(slot: Slot, { value, by }: Filling, now: number): SlotStep {
  if (slot.status === 'FAILED') {
    throw new StintError('slot_closed', `The slot will never have a value: ${slot.error}`, { rule: 'must be open' })
  }
  if (slot.status === 'FILLED') {
    if (sameValue(slot.value ?? 'null', value)) return { slot, events: [] }
    throw filledBefore(slot)
  }
  const filled: Slot = { ...slot, status: 'FILLED', value, filledBy: by, settledAt: now }
  return { slot: filled, events: [{ type: 'slot.filled', data: { by } }] }
}

/** Says that a slot will never have a value. One that has one keeps it, and it is too late to say so. */
export function rejectSlot(slot: Slot, error: string, now: number): SlotStep {
  if (slot.status === 'FILLED') throw filledBefore(slot)
  return failSlot(slot, error, now)
}

function filledBefore({ filledBy }: Slot): StintError {
  const rule = 'must not be filled twice'
  return new StintError('slot_filled', `The slot has another value already, from ${filledBy}.`, { rule, filledBy })
}

/** From now on nobody waits for it. One that has a value keeps it. */
export function failSlot(slot: Slot, error: string, now: number): SlotStep {
  if (slot.status !== 'OPEN') return { slot, events: [] }
  const failed: Slot = { ...slot, status: 'FAILED', value: null, error, settledAt: now }
  return { slot: failed, events: [{ type: 'slot.failed', data: { error } }] }
}

/** The order of names in an object says nothing. */
function sameValue(a: string, b: string): boolean {
  return a === b || canonical(JSON.parse(a)) === canonical(JSON.parse(b))
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    isPlain(member) ? Object.fromEntries(Object.entries(member).sort()) : member,
  )
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
