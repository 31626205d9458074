import { StintError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { RecordEvent } from '../records/events.ts'
import { firesBetween, nextFire, previousFire } from './fires.ts'
import { parseTiming } from './parse-timing.ts'
import type { Timing, TimingSpec } from './timing.ts'

/** CREATED until it is enabled for the first time; DELETED is kept for the record. */
export type ScheduleStatus = 'CREATED' | 'ENABLED' | 'DISABLED' | 'DELETED'

/** What becomes of a fire while a job of an earlier one lives. */
export type Overlap = 'allow' | 'skip' | 'queue-one' | 'cancel-running'

/** What becomes of instants that passed while nobody was there to fire. */
export type CatchUp =
  /** They are left out. */
  | { readonly mode: 'none' }
  /** The latest of them fires. */
  | { readonly mode: 'latest' }
  /** All of them fire that are not older than the window, the newest so many. */
  | { readonly mode: 'all'; readonly windowMs: number; readonly max: number }

export interface ScheduleContent {
  readonly label: string | null
  /** The id of the template that its jobs are made of; null when it says their type itself. */
  readonly template: string | null
  readonly type: string | null
  readonly timing: TimingSpec
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  /** Its jobs are put off by up to so long, each by its own share. */
  readonly jitterMs: number
  /** What its jobs have, over what the template says. */
  readonly overrides: JsonObject
}

export interface Schedule extends ScheduleContent {
  readonly status: ScheduleStatus
  /** The nominal instant of the newest fire. */
  readonly lastTriggeredAt: number | null
  /** The next instant; null while it is not enabled, and when there is none any more. */
  readonly nextTriggerAt: number | null
  /** Why it stopped by itself; null when it did not. */
  readonly blocked: string | null
}

export interface ScheduleStep {
  readonly schedule: Schedule
  readonly events: readonly RecordEvent[]
}

/** An instant that is found so much later than it was is late, and not missed. */
const lateMs = 60_000

export function createSchedule(content: ScheduleContent, enabled: boolean, now: number): ScheduleStep {
  requireFires(content.timing, now)
  const schedule: Schedule = {
    ...content,
    status: 'CREATED',
    lastTriggeredAt: null,
    nextTriggerAt: null,
    blocked: null,
  }
  const created: RecordEvent = { type: 'schedule.created', data: { ...content } as unknown as JsonObject }
  if (!enabled) return { schedule, events: [created] }
  const { schedule: on, events } = enableSchedule(schedule, now)
  return { schedule: on, events: [created, ...events] }
}

/** What passed while it was off is not made up for. */
export function enableSchedule(schedule: Schedule, now: number): ScheduleStep {
  requireThere(schedule, 'be enabled')
  if (schedule.status === 'ENABLED') return { schedule, events: [] }
  const nextTriggerAt = nextFire(parseTiming(schedule.timing), now)
  const enabled: Schedule = { ...schedule, status: 'ENABLED', nextTriggerAt, blocked: null }
  return { schedule: enabled, events: [{ type: 'schedule.enabled', data: { nextTriggerAt } }] }
}

export function disableSchedule(schedule: Schedule): ScheduleStep {
  requireThere(schedule, 'be disabled')
  if (schedule.status === 'DISABLED') return { schedule, events: [] }
  return { schedule: off(schedule, 'DISABLED'), events: [{ type: 'schedule.disabled', data: {} }] }
}

/** It stops by itself: what it makes jobs of is not there any more. */
export function blockSchedule(schedule: Schedule, reason: string): ScheduleStep {
  const blocked = { ...off(schedule, 'DISABLED'), blocked: reason }
  return { schedule: blocked, events: [{ type: 'schedule.blocked', data: { reason } }] }
}

export function deleteSchedule(schedule: Schedule): ScheduleStep {
  if (schedule.status === 'DELETED') return { schedule, events: [] }
  return { schedule: off(schedule, 'DELETED'), events: [{ type: 'schedule.deleted', data: {} }] }
}

/** New times hold from now on: an instant that is due already still fires, if it is one of the new times, too. */
export function changeSchedule(schedule: Schedule, changes: Partial<ScheduleContent>, now: number): ScheduleStep {
  requireThere(schedule, 'be changed')
  if (changes.timing !== undefined) requireFires(changes.timing, now)
  const changed: Schedule = { ...schedule, ...changes }
  const { nextTriggerAt: due, status } = schedule
  const isRetimed = status === 'ENABLED' && changes.timing !== undefined
  const from = due !== null && due <= now ? due - 1 : now
  const nextTriggerAt = isRetimed ? nextFire(parseTiming(changed.timing), from) : due
  const event: RecordEvent = { type: 'schedule.changed', data: { ...changes } as unknown as JsonObject }
  return { schedule: { ...changed, nextTriggerAt }, events: [event] }
}

/** One that will never fire is a mistake of whoever makes it, and nobody would notice. */
function requireFires(timing: TimingSpec, now: number): void {
  if (nextFire(parseTiming(timing), now) !== null) return
  const rule = 'must fire at least once from now on'
  throw new StintError('invalid_schedule', `The schedule ${rule}; it never does.`, { field: 'cron', rule })
}

function off(schedule: Schedule, status: ScheduleStatus): Schedule {
  return { ...schedule, status, nextTriggerAt: null }
}

function requireThere({ status }: Schedule, what: string): void {
  if (status !== 'DELETED') return
  throw new StintError('illegal_transition', `The schedule is deleted and can no longer ${what}.`, { status })
}

/** Which instants fire now, the oldest first, and where the schedule goes on. */
export interface Due {
  readonly instants: readonly number[]
  /** From this instant on some were left out; null when none was. */
  readonly missedFrom: number | null
  /** The next instant that is not among them; it may have come already when there were many. */
  readonly next: number | null
}

const nothing: Due = { instants: [], missedFrom: null, next: null }

/** How many instants fire in one transaction at the most. */
const fireMax = 100

/** By search back from now, however long nobody looked. */
export function dueInstants({ nextTriggerAt, timing: spec, catchUp }: Schedule, now: number): Due {
  if (nextTriggerAt === null || nextTriggerAt > now) return { ...nothing, next: nextTriggerAt }
  const timing = parseTiming(spec)
  const next = nextFire(timing, now)
  const latest = previousFire(timing, now)
  // The times were changed since: what was due is none of them any more.
  if (latest === null || latest < nextTriggerAt) return { ...nothing, next }
  const missedBefore = (first: number) => (nextTriggerAt < first ? nextTriggerAt : null)
  switch (catchUp.mode) {
    case 'none':
      if (now - latest > lateMs) return { instants: [], missedFrom: nextTriggerAt, next }
      return { instants: [latest], missedFrom: missedBefore(latest), next }
    case 'latest':
      return { instants: [latest], missedFrom: missedBefore(latest), next }
    case 'all': {
      const first = firstToCatchUp(timing, Math.max(nextTriggerAt, now - catchUp.windowMs), now, catchUp.max)
      const instants = firesBetween(timing, first - 1, now, fireMax)
      const last = instants.at(-1) ?? now
      return { instants, missedFrom: missedBefore(first), next: nextFire(timing, last) }
    }
  }
}

/** The oldest of the newest `max` instants from `from` on. */
function firstToCatchUp(timing: Timing, from: number, now: number, max: number): number {
  if (firesBetween(timing, from - 1, now, max + 1).length <= max) return from
  let first = now + 1
  // There are more than `max` of them, so there is always one before.
  for (let count = 0; count < max; count++) first = previousFire(timing, first - 1) as number
  return first
}

/** The schedule after it fired for these instants. */
export function advance(schedule: Schedule, due: Due): Schedule {
  const lastTriggeredAt = due.instants.at(-1) ?? schedule.lastTriggeredAt
  return { ...schedule, lastTriggeredAt, nextTriggerAt: due.next }
}

/** How long the job of an instant is put off: the same for whoever asks, and spread over all that may be. */
export function jitterOf(scheduleId: string, instant: number, jitterMs: number): number {
  if (jitterMs === 0) return 0
  let hash = 2_166_136_261
  for (const character of `${scheduleId} ${instant}`) {
    hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619) >>> 0
  }
  // The low bits of this hash are the poor ones.
  return Math.floor((((hash ^ (hash >>> 15)) >>> 0) / 4_294_967_296) * (jitterMs + 1))
}
