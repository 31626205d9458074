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
import type { Statements } from './statements.ts'

export class SqlitePasts implements Pasts {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  jobsAfter(position: string, limit: number): readonly { pk: number; createdAt: number }[] {
    return this.#sql.all('jobsToWalkOver', { after: Number(position), limit })
  }

  jobsWithin(stretch: Stretch): readonly AgedJob[] {
    return this.#sql.all<AgedRow>('agedJobs', boundsOf(stretch)).map(agedOfRow)
  }

  within(stretch: Stretch): readonly Pick<PastJob, 'pk' | 'name' | 'endedAt'>[] {
    return this.#sql.all('agedPastJobs', boundsOf(stretch))
  }

  prune(wanted: readonly number[]): ReadonlySet<number> {
    const rows = this.#sql.all<{ pk: number }>('unneededJobs', { pks: JSON.stringify(wanted) })
    const pruned = rows.map(({ pk }) => pk)
    const pks = JSON.stringify(pruned)
    for (const name of leaving) this.#sql.run(name, { pks })
    return new Set(pruned)
  }

  forgetLines(pks: readonly number[], limit: number): number {
    return this.#sql.run('removeLogLines', { pks: JSON.stringify(pks), limit })
  }

  forgetRuns(given: readonly number[]): void {
    const pks = JSON.stringify(given)
    for (const name of ['keepRows', 'removeRuns', 'emptyPastJobs', 'removePastJobs']) this.#sql.run(name, { pks })
  }

  load(pks: readonly number[]): readonly PastJob[] {
    return this.#sql.all<PastRow>('pastJobsByKey', { pks: JSON.stringify(pks) }).map(pastOfRow)
  }
}

/** What a job leaves, and what leaves with it. */
const leaving = [
  ...['insertPastJobs', 'removeProgressOf', 'removeCheckpointsOf', 'removeShardedOf', 'removeShardsOf'],
  ...['removeEndpointsOf', 'removeMembersOf', 'removeJobs'],
]

function boundsOf({ after, upto }: Stretch) {
  return { after: Number(after), upto: Number(upto) }
}
