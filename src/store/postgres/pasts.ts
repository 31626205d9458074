import {
  type AgedJob,
  type AgedRow,
  agedOfRow,
  type PastJob,
  type PastRow,
  type Pasts,
  pastOfRow,
} from '../retention/pasts.ts'
import type { Stretch } from '../retention/walks.ts'
import type { QueryClient } from '../store.ts'
import type { Statements } from './statements.ts'

export class PostgresPasts implements Pasts {
  readonly #client: QueryClient
  readonly #sql: Statements

  constructor(client: QueryClient, sql: Statements) {
    this.#client = client
    this.#sql = sql
  }

  async jobsAfter(position: string, limit: number): Promise<readonly { pk: number; createdAt: number }[]> {
    return await this.#sql.run(this.#client, 'jobsToWalkOver', { after: position, limit })
  }

  async jobsWithin({ after, upto }: Stretch): Promise<readonly AgedJob[]> {
    return (await this.#sql.run<AgedRow>(this.#client, 'agedJobs', { after, upto })).map(agedOfRow)
  }

  async within({ after, upto }: Stretch): Promise<readonly Pick<PastJob, 'pk' | 'name' | 'endedAt'>[]> {
    return await this.#sql.run(this.#client, 'agedPastJobs', { after, upto })
  }

  async prune(wanted: readonly number[]): Promise<ReadonlySet<number>> {
    const locked = await this.#keys('lockOldJobs', wanted)
    // A statement after the lock: whatever those who held them before have left behind is seen.
    const pks = await this.#keys('unneededJobs', locked)
    await this.#sql.run(this.#client, 'pruneJobs', { pks })
    return new Set(pks)
  }

  async forgetLines(pks: readonly number[], limit: number): Promise<number> {
    return (await this.#sql.run(this.#client, 'removeLogLines', { pks, limit })).length
  }

  async forgetRuns(pks: readonly number[]): Promise<void> {
    for (const name of ['removeRuns', 'emptyPastJobs', 'removePastJobs']) {
      await this.#sql.run(this.#client, name, { pks })
    }
  }

  async load(pks: readonly number[]): Promise<readonly PastJob[]> {
    return (await this.#sql.run<PastRow>(this.#client, 'pastJobsByKey', { pks })).map(pastOfRow)
  }

  async #keys(name: string, pks: readonly number[]): Promise<readonly number[]> {
    return (await this.#sql.run<{ pk: number }>(this.#client, name, { pks })).map(({ pk }) => pk)
  }
}
