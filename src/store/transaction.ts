import type { PausedPath } from '../core/gates/gatekeeper.ts'
import type { LimitInput, LimitState } from '../core/gates/limit.ts'
import type { Effect } from '../core/job/decide.ts'
import type { JobEvent } from '../core/job/events.ts'
import type { Run } from '../core/job/job.ts'
import type { OutsideEvent } from '../core/job/outside-event.ts'
import type { Answers } from './answers/answers.ts'
import type { Attempt } from './attempt.ts'
import type { Awaitable } from './awaitable.ts'
import type { Endpoints } from './endpoints/endpoints.ts'
import type { Fires } from './fires.ts'
import type { Members } from './groups/members.ts'
import type { EventDraft } from './new-event.ts'
import type { Records } from './records.ts'
import type { Pasts } from './retention/pasts.ts'
import type { Segments } from './retention/segments.ts'
import type { Walks } from './retention/walks.ts'
import type { TaskTerms } from './shards/new-tasks.ts'
import type { ShardRow, Shards } from './shards/shards.ts'
import type { StoredJob } from './store.ts'

/**
 * What a store can do inside one transaction: statements over sets, without a rule about jobs in them. The methods of the
 * port are written once, in terms of these, for both stores.
 */
export interface Transaction {
  /** The database's time, fixed for the transaction. */
  readonly now: number
  /** New row keys, ascending, each used once for ever. */
  reserve(count: number): Awaitable<readonly number[]>
  /** Every job that has one of the ids, and every live job that holds one of the names or keys. */
  holders(wanted: Wanted): Awaitable<readonly StoredJob[]>
  /** Jobs by UUID; those that do not exist are missing from the answer. */
  load(ids: readonly string[]): Awaitable<readonly StoredJob[]>
  /** The same for sharded jobs, which may be remembered where they are as they were. Absent where that is no faster. */
  loadSplit?(ids: readonly string[]): Awaitable<readonly StoredJob[]>
  loadByKey(pks: readonly number[]): Awaitable<readonly StoredJob[]>
  /** Holds the jobs against other writers until the end of the transaction, in the one order that all locks follow. */
  lock(ids: readonly string[], options?: LockOptions): Awaitable<void>
  /** Creates jobs. Those whose id, name or key another transaction took in the meantime are missing from the answer. */
  insert(creations: readonly Creation[]): Awaitable<ReadonlySet<number>>
  /**
   * Takes the first shards that are no tasks yet and makes tasks of them, without a look, and gives those whose names were not
   * free. Absent where it is no faster.
   */
  openTasks?(terms: TaskTerms, count: number): Awaitable<readonly ShardRow[]>
  /** Writes changes whose guard still holds, and tells which. */
  write(changes: readonly Change[]): Awaitable<ReadonlyMap<number, Written>>
  /** What a pending job waits for: the ends of jobs, or its group. */
  waitsOf(pks: readonly number[]): Awaitable<ReadonlyMap<number, readonly number[]>>
  /** These jobs or slots are over: ends the waits for them, of so many jobs at the most. */
  endWaits(pks: readonly number[], limit: number): Awaitable<EndedWaits>
  /** Remembers whose values jobs need: what a pending job needs is not pruned. */
  addNeeds(needs: readonly Wait[]): Awaitable<void>
  /**
   * Records events from outside, but for those that the log has. Tells which are new, by their place in the list and in
   * its order, each with the key of its job: one of the event's namespace that was there when it was locked, or null.
   */
  record(events: readonly EventDraft[]): Awaitable<ReadonlyMap<number, number | null>>
  /** The outside events of a job, in log order. */
  outsideEvents(pk: number): Awaitable<readonly OutsideEvent[]>
  /** Of these attempts, those that live jobs were submitted by, or by one before: keys of the jobs that they belong to. */
  havingChildren(attempts: readonly Attempt[]): Awaitable<ReadonlySet<number>>
  /** Keys of the live jobs that an attempt or one before it submitted, in order, after a key. */
  children(parent: Attempt, after: number, limit: number): Awaitable<readonly number[]>
  /** Live jobs below a name, by name, after a name or before it. */
  branch(request: BranchPage): Awaitable<readonly StoredJob[]>
  /** Each of these jobs waits for the end of another. A job that waits for itself waits for a follow-up. */
  addWaits(waits: readonly Wait[]): Awaitable<void>
  /** A job no longer waits for its follow-up, if it was the last one. Tells whether it waits for nothing more. */
  endOwnWait(pk: number): Awaitable<boolean>
  addFollowUps(followUps: readonly NewFollowUp[]): Awaitable<void>
  /** The oldest follow-up but for some that nobody else is at, held until the end of the transaction. */
  takeFollowUp(skip: number): Awaitable<FollowUp | null>
  /** Saves how far a follow-up is; null when it is done. */
  saveFollowUp(pk: number, data: string | null): Awaitable<void>
  /** The position of the next ready job of a priority, up or down from a position; null when there is none. */
  nextPosition(priority: number, from: number, direction: 'up' | 'down'): Awaitable<number | null>
  /** The ready jobs at one place of the order. */
  readyAt(priority: number, position: number): Awaitable<readonly StoredJob[]>
  readonly gates: Gates
  readonly records: Records
  readonly fires: Fires
  readonly members: Members
  readonly walks: Walks
  readonly pasts: Pasts
  readonly segments: Segments
  readonly shards: Shards
  readonly endpoints: Endpoints
  readonly answers: Answers
}

/** Limits and pauses, and the jobs that wait at them. */
export interface Gates {
  /** Makes limits, or changes what is said of them: tells which have changed. */
  setLimits(limits: readonly LimitInput[]): Awaitable<readonly number[]>
  /** The ids of the limits that there are, of these keys. */
  limitIds(keys: readonly string[]): Awaitable<readonly number[]>
  /** Forgets a limit and what is held of it; gives its id. */
  removeLimit(key: string): Awaitable<number | null>
  /**
   * Waits for the claims that are under way, and lets no other begin before the end of the transaction: each of them sees what is set
   * here, or is seen.
   */
  shutOutClaims(): Awaitable<void>
  /** A path that is limited from now on: what is open there already counts. Tells of which jobs others may be ending the attempt meanwhile. */
  holdRunningBelow(path: string): Awaitable<readonly string[]>
  pause(pause: NewPause): Awaitable<void>
  /** Gives the id of the pause that was there. */
  resume(pause: Pick<NewPause, 'path' | 'type'>): Awaitable<number | null>
  /** The branches that are paused, and the keys of all limits that are paths. */
  pathGates(): Awaitable<PathGates>
  /** Limits by key, as they are now and until the end of the transaction. Those that another transaction holds are `busy`. */
  holdLimits(keys: readonly string[]): Awaitable<HeldLimits>
  /** The same by id; those that another holds are waited for. */
  limitsById(ids: readonly number[]): Awaitable<readonly LimitState[]>
  /** Moves ready jobs to the gates that shut them out. */
  park(jobs: readonly { readonly pk: number; readonly gate: number }[]): Awaitable<void>
  addPermits(permits: readonly Permit[]): Awaitable<void>
  /** The attempts of these jobs are over: tells which limits they held. */
  freePermits(pks: readonly number[]): Awaitable<readonly number[]>
  /** The same for limits of paths alone. */
  freePathPermits(pks: readonly number[]): Awaitable<readonly number[]>
  /** Rates for which time has passed: tells of which limits. */
  expirePermits(): Awaitable<readonly number[]>
  /** Moves the first jobs of each lane from a gate to the ready ones, and tells how many of the lane that had most. */
  openGate(gate: number, count: number): Awaitable<number>
}

/** A branch or a type. */
export interface NewPause {
  readonly path: string | null
  readonly type: string | null
  readonly reason: string | null
}

export interface PathGates {
  readonly pauses: readonly PausedPath[]
  readonly limits: readonly string[]
}

export interface HeldLimits {
  readonly limits: readonly LimitState[]
  readonly busy: readonly string[]
}

/** What an attempt holds of a limit: of its concurrency (kind 0) or, for a time, of its rate (kind 1). */
export interface Permit {
  readonly limit_id: number
  readonly kind: 0 | 1
  readonly job: number
  readonly release_at: number | null
}

export interface BranchPage {
  readonly name: string
  /** A name of the branch; null to begin at the end that `direction` begins with. */
  readonly from: string | null
  readonly direction: 'down' | 'up'
  readonly limit: number
}

export interface Wait {
  readonly job: number
  readonly on_job: number
}

/** Jobs whose waits were ended, by row key. */
export interface EndedWaits {
  /** Those that wait for nothing more. */
  readonly freed: readonly number[]
  /** Those that still wait for others. */
  readonly waiting: readonly number[]
}

/** The number is what the stores keep. */
export const followUpKinds = {
  cancelChildren: 1,
  cancelBranch: 2,
  openGate: 3,
  releaseMembers: 4,
  endMembers: 5,
  wakeWaiters: 6,
} as const

export interface NewFollowUp {
  readonly kind: number
  /** Row key of the job or the group that it began with. */
  readonly job: number | null
  /** JSON text. */
  readonly data: string
}

export interface FollowUp extends NewFollowUp {
  readonly pk: number
}

export interface LockOptions {
  /** Others may hold the job at the same time, but nobody changes it. */
  readonly isShared?: boolean
}

export interface Wanted {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  readonly keys: readonly { readonly namespace: string; readonly type: string; readonly key: string }[]
}

/** A step of an existing job, ready to be written. */
export interface Change {
  readonly before: StoredJob
  readonly after: StoredJob
  readonly events: readonly JobEvent[]
  readonly runs: readonly Run[]
  readonly effects: readonly Effect[]
}

/** A new job. It waits for the ends of `waitsFor`, keys of other rows. */
export interface Creation extends Omit<Change, 'before' | 'effects'> {
  readonly waitsFor: readonly number[]
  readonly parent: Attempt | null
}

export interface Written {
  /** Somebody waits for the end of this job. */
  readonly awaited: boolean
}
