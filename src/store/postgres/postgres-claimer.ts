import type { Share } from '../../core/gates/turns.ts'
import { branchesOf, type Claimer, fewJobs, type NamespaceRange, type Seat } from '../claim-in-turns.ts'
import type { CheckedClaim } from '../claim-request.ts'
import { openState } from '../claimed-row.ts'
import { type PassedGates, passGates } from '../gates.ts'
import type { Options } from '../job-row.ts'
import type { StoredJob } from '../store.ts'
import { columns } from './columns.ts'
import type { PostgresTransaction } from './postgres-transaction.ts'
import { type ClaimTools, lanesOf, startAttempts } from './start-attempts.ts'

interface PostgresSeat extends Seat {
  /** Where its row is, for as long as this transaction holds it. */
  readonly place: string
}

interface SeatRow {
  readonly place: string
  readonly pk: number
  readonly suspect: number
  readonly name: string
  readonly namespace: string
  readonly state: number
  readonly options: string | null
  readonly scheduled_for: number
  readonly group_id: string | null
}

/** What a claim that takes more than one statement finds and does on PostgreSQL. */
export class PostgresClaimer implements Claimer<PostgresSeat, StoredJob> {
  readonly #tx: PostgresTransaction
  readonly #tools: ClaimTools
  readonly #request: CheckedClaim

  constructor(tx: PostgresTransaction, tools: ClaimTools, request: CheckedClaim) {
    this.#tx = tx
    this.#tools = tools
    this.#request = request
  }

  async namespaces(range: NamespaceRange, limit: number): Promise<readonly string[]> {
    const rows = await this.#run<{ namespace: string }>('readyNamespaces', { ...range, limit })
    return rows.map(({ namespace }) => namespace)
  }

  async readyAmong(namespaces: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#run<{ namespace: string }>('readyAmongNamespaces', { namespaces })
    return rows.map(({ namespace }) => namespace)
  }

  async seats(shares: readonly Share[], suspectLimit: number): Promise<readonly PostgresSeat[]> {
    const limits = { suspect_limit: suspectLimit, now: this.#tx.now }
    const branches = shares.flatMap((share, i) => {
      return (branchesOf(this.#request, share) ?? []).map((branch) => ({ ...branch, share: i, count: share.count }))
    })
    const rows =
      branches.length === 0
        ? await this.#run<SeatRow>('firstSeats', { ...limits, limit: shares[0]?.count ?? 0 })
        : await this.#run<SeatRow>('seatsOfBranches', {
            ...limits,
            few: fewJobs,
            ...columns('', ['share', 'namespace', 'path', 'count'], branches),
          })
    return rows.map(seatOfRow)
  }

  async pass(jobs: readonly PostgresSeat[]): Promise<PassedGates<PostgresSeat>> {
    return jobs.length === 0 ? { passed: [], shutOut: [] } : await passGates(this.#tx, jobs)
  }

  async start(jobs: readonly PostgresSeat[]): Promise<readonly StoredJob[]> {
    if (jobs.length === 0) return []
    const all = { ...this.#request, limit: jobs.length, suspectLimit: jobs.length, now: this.#tx.now }
    const places = jobs.map(({ place }) => place)
    const started = await startAttempts(this.#tools, all, places)
    const found = new Map(started.jobs.map((stored) => [stored.guard.pk, stored]))
    return jobs.flatMap(({ pk }) => found.get(pk) ?? [])
  }

  async #run<Row>(name: string, params: Readonly<Record<string, unknown>>): Promise<readonly Row[]> {
    const lanes = await lanesOf(this.#tools, this.#request)
    return await this.#tools.sql.run<Row>(this.#tools.client, name, { lanes, ...params })
  }
}

function seatOfRow({
  place,
  pk,
  suspect,
  name,
  namespace,
  state,
  options,
  scheduled_for: scheduledFor,
  group_id: groupId,
}: SeatRow): PostgresSeat {
  const { limits: named = [] }: Options = options === null ? {} : JSON.parse(options)
  const limits = state === openState ? [] : named
  return { place, pk, name, namespace, limits, scheduledFor, groupId, isSuspect: suspect === 1 }
}
