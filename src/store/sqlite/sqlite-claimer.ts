import type { Share } from '../../core/gates/turns.ts'
import { laneOf } from '../change.ts'
import { type Branch, branchesOf, type Claimer, fewJobs, type NamespaceRange } from '../claim-in-turns.ts'
import type { CheckedClaim } from '../claim-request.ts'
import type { ClaimedRow } from '../claimed-row.ts'
import { type PassedGates, passGates } from '../gates.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'
import { claimable, firstReadable, inOrder, type ReadyRow, start } from './start-attempt.ts'
import type { Statements } from './statements.ts'

type SqliteSeat = ReturnType<typeof claimable>

/** What a claim of some branches, or of namespaces in turn, finds and does on SQLite. */
export class SqliteClaimer implements Claimer<SqliteSeat, ClaimedRow> {
  readonly #tx: SqliteTransaction
  readonly #sql: Statements
  readonly #request: CheckedClaim
  readonly #types: readonly number[]
  /** The live jobs of a branch, as JSON, where they are few. */
  readonly #live = new Map<string, string | null>()

  constructor(tx: SqliteTransaction, sql: Statements, request: CheckedClaim, types: readonly number[]) {
    this.#tx = tx
    this.#sql = sql
    this.#request = request
    this.#types = types
    sql.run('makeNamespaceIndex', {})
  }

  namespaces({ after, until }: NamespaceRange, limit: number): readonly string[] {
    const next = (lane: number, from: string) => {
      return this.#sql.get<{ namespace: string }>('nextNamespace', { lane, after: from, until })?.namespace
    }
    const heads = new Map(this.#lanes().map((lane) => [lane, next(lane, after)]))
    const found: string[] = []
    while (found.length < limit) {
      const [first] = [...heads.values()].filter((name) => name !== undefined).sort()
      if (first === undefined) break
      found.push(first)
      for (const [lane, head] of heads) if (head === first) heads.set(lane, next(lane, first))
    }
    return found
  }

  readyAmong(namespaces: readonly string[]): readonly string[] {
    const lanes = this.#lanes()
    return namespaces.filter((namespace) => {
      return lanes.some((lane) => this.#sql.row('isReadyIn', lane, namespace) !== null)
    })
  }

  #lanes(): readonly number[] {
    const kinds = this.#request.suspectLimit > 0 ? [false, true] : [false]
    return this.#types.flatMap((type) => kinds.map((suspect) => laneOf(type, suspect)))
  }

  seats(shares: readonly Share[], suspectLimit: number): readonly SqliteSeat[] {
    return shares.flatMap((share) => {
      const branches = branchesOf(this.#request, share) ?? []
      const first = (suspect: boolean, most: number) => {
        return firstReadable(this.#sql, most, (count) => this.#first(branches, suspect, count))
      }
      const chosen = [...first(false, share.count), ...first(true, suspectLimit)]
      return chosen.sort((a, b) => inOrder(a.ready, b.ready)).map(claimable)
    })
  }

  #first(branches: readonly Branch[], suspect: boolean, most: number): readonly ReadyRow[] {
    const rows = branches.flatMap((branch) => this.#firstOf(branch, suspect, most))
    return rows.sort(inOrder).slice(0, most)
  }

  #firstOf({ namespace, path }: Branch, suspect: boolean, most: number): readonly ReadyRow[] {
    const now = this.#tx.now
    const live = path === null ? null : this.#liveOf(path)
    if (live !== null) {
      const rows = this.#sql.rows('readyOfJobs', live, Number(suspect), now) as unknown as readonly ReadyRow[]
      return rows.filter(([lane]) => this.#types.some((type) => laneOf(type, suspect) === lane))
    }
    return this.#types.flatMap((type) => {
      const lane = laneOf(type, suspect)
      if (path === null) return this.#sql.rows('readyInNamespace', lane, namespace, now, most)
      return this.#sql.rows('readyBelow', lane, namespace, path, now, most)
    }) as unknown as readonly ReadyRow[]
  }

  #liveOf(path: string): string | null {
    const known = this.#live.get(path)
    if (known !== undefined) return known
    const jobs = this.#sql.all<{ job: number }>('liveAtOrBelow', { path, limit: fewJobs + 1 })
    const live = jobs.length > fewJobs ? null : JSON.stringify(jobs.map(({ job }) => job))
    this.#live.set(path, live)
    return live
  }

  async pass(jobs: readonly SqliteSeat[]): Promise<PassedGates<SqliteSeat>> {
    const isFree = !this.#tx.gates.hasPaths && jobs.every(({ ready }) => ready[4] === 0)
    return isFree ? { passed: jobs, shutOut: [] } : await passGates(this.#tx, jobs)
  }

  start(jobs: readonly SqliteSeat[]): readonly ClaimedRow[] {
    return jobs.map((job) => start(this.#sql, this.#tx.now, this.#request, job))
  }
}
