import type { StoredJob } from '../store.ts'
import type { Statements } from './statements.ts'

/** How many are remembered. */
const rememberedMax = 100

/**
 * Sharded jobs as they were read last. Each batch of ends of tasks asks for their job, which waits for them and is what it was: as
 * long as its revision is the same, it is not read again.
 */
export class SplitJobs {
  readonly #remembered = new Map<string, StoredJob>()

  load(sql: Statements, id: string, read: () => StoredJob | undefined): StoredJob | undefined {
    const known = this.#remembered.get(id)
    if (known !== undefined && isAsItWas(sql, known)) return known
    this.#remembered.delete(id)
    const stored = read()
    // The row of one that is claimed does not say all of it.
    if (stored?.job.phase === 'awaiting') this.#remember(id, stored)
    return stored
  }

  /** What was read in a transaction that is rolled back was never there. */
  clear(): void {
    this.#remembered.clear()
  }

  #remember(id: string, stored: StoredJob): void {
    this.#remembered.set(id, stored)
    const [oldest] = this.#remembered.keys()
    if (this.#remembered.size > rememberedMax && oldest !== undefined) this.#remembered.delete(oldest)
  }
}

function isAsItWas(sql: Statements, { guard: { pk, revision } }: StoredJob): boolean {
  return sql.get<{ revision: number }>('revisionOf', { pk })?.revision === revision
}
