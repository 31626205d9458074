import type { Awaitable } from './awaitable.ts'

/** That a schedule fired for an instant, for ever: there is one for each instant, whoever fires. */
export interface Fire {
  /** The nominal instant. */
  readonly at: number
  /** Row key of the newest job that was made for it; null when none could be made. */
  readonly job: number | null
}

/** The fires of schedules, inside one transaction. */
export interface Fires {
  /** False when there is one for the instant already. */
  add(schedule: number, at: number): Awaitable<boolean>
  setJob(schedule: number, at: number, job: number): Awaitable<void>
  /** Those of a list of instants that there are. */
  at(schedule: number, instants: readonly number[]): Awaitable<readonly Fire[]>
}
