import type { Awaitable } from '../awaitable.ts'

/** A job that belongs to a group, and its number in the order of members. */
export interface Member {
  /** Row key of the group. */
  readonly group_pk: number
  readonly seq: number
  /** Row key of the job. */
  readonly job: number
}

export interface MemberPage {
  /** Row key of the group. */
  readonly group: number
  /** The number to go on from, itself left out. */
  readonly from: number
  readonly direction: 'up' | 'down'
  /** Only those that are not over. */
  readonly live: boolean
  readonly limit: number
}

/** Members of groups inside one transaction. A member that may not run yet waits for its group, as jobs wait for others. */
export interface Members {
  add(members: readonly Member[]): Awaitable<void>
  page(page: MemberPage): Awaitable<readonly Member[]>
  /** Row keys of the first that wait for their group. */
  waiting(group: number, limit: number): Awaitable<readonly number[]>
  /** Gives members of a group other numbers. */
  renumber(group: number, members: readonly Member[]): Awaitable<void>
  /** These members no longer wait for their group. Tells which of them waited, and now wait for nothing more. */
  release(group: number, jobs: readonly number[]): Awaitable<readonly number[]>
}
