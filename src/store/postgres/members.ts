import type { Member, MemberPage, Members } from '../groups/members.ts'
import type { QueryClient } from '../store.ts'
import { columns } from './columns.ts'
import type { Statements } from './statements.ts'

/** Members of groups on PostgreSQL. Whoever changes who they are, or whose turn it is, holds the group's record. */
export class PostgresMembers implements Members {
  readonly #client: QueryClient
  readonly #sql: Statements

  constructor(client: QueryClient, sql: Statements) {
    this.#client = client
    this.#sql = sql
  }

  async add(members: readonly Member[]): Promise<void> {
    await this.#sql.run(this.#client, 'addMembers', columns('', ['group_pk', 'seq', 'job'], members))
  }

  async page({ direction, ...page }: MemberPage): Promise<readonly Member[]> {
    return await this.#sql.run<Member>(this.#client, direction === 'up' ? 'membersUp' : 'membersDown', page)
  }

  async waiting(group: number, limit: number): Promise<readonly number[]> {
    const rows = await this.#sql.run<{ job: number }>(this.#client, 'waitingMembers', { group, limit })
    return rows.map(({ job }) => job)
  }

  async renumber(group: number, members: readonly Member[]): Promise<void> {
    await this.#sql.run(this.#client, 'removeMembers', { group, jobs: members.map(({ job }) => job) })
    await this.add(members)
  }

  async release(group: number, jobs: readonly number[]): Promise<readonly number[]> {
    // Whoever ends another job that one of them waits for holds it too: each sees what the other has done.
    await this.#sql.run(this.#client, 'lockJobsByKey', { pks: jobs })
    const released = await this.#sql.run<{ job: number }>(this.#client, 'releaseMembers', { group, jobs })
    const freed = released.map(({ job }) => job)
    const still = await this.#sql.run<{ job: number }>(this.#client, 'stillWaiting', { pks: freed })
    return freed.filter((job) => !still.some((row) => row.job === job))
  }
}
