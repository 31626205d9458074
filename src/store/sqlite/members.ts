import type { Member, MemberPage, Members } from '../groups/members.ts'
import type { Statements } from './statements.ts'

/** Members of groups on SQLite, whose transactions are alone. */
export class SqliteMembers implements Members {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  add(members: readonly Member[]): void {
    for (const member of members) this.#sql.run('addMember', { ...member })
  }

  page({ group, from, direction, live, limit }: MemberPage): readonly Member[] {
    const name = direction === 'up' ? 'membersUp' : 'membersDown'
    return this.#sql.all<Member>(name, { group, from, live: live ? 1 : 0, limit })
  }

  waiting(group: number, limit: number): readonly number[] {
    return this.#sql.all<{ job: number }>('waitingMembers', { group, limit }).map(({ job }) => job)
  }

  renumber(group: number, members: readonly Member[]): void {
    for (const { job } of members) this.#sql.run('removeMember', { group_pk: group, job })
    this.add(members)
  }

  release(group: number, jobs: readonly number[]): readonly number[] {
    const released = jobs.filter((job) => this.#sql.run('releaseMember', { group, job }) === 1)
    return released.filter((job) => this.#sql.get('stillWaits', { job }) === undefined)
  }
}
