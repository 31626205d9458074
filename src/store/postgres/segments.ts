import type { Segment } from '../controls.ts'
import {
  type AgedEntry,
  type AgedEntryRow,
  agedEntryOfRow,
  type Removed,
  type RemovedRow,
  type SegmentRow,
  type Segments,
  segmentOfRow,
  segmentPage,
  segmentRow,
} from '../retention/segments.ts'
import type { Stretch } from '../retention/walks.ts'
import type { QueryClient } from '../store.ts'
import type { Statements } from './statements.ts'

/** Segments on PostgreSQL. A position in the log is a cursor, `transaction.id`. */
export class PostgresSegments implements Segments {
  readonly #client: QueryClient
  readonly #sql: Statements
  readonly #txOffset: number

  constructor(client: QueryClient, sql: Statements, txOffset: number) {
    this.#client = client
    this.#sql = sql
    this.#txOffset = txOffset
  }

  async end(): Promise<string> {
    const [row] = await this.#sql.run<{ cursor: string }>(this.#client, 'endOfLog', { tx_offset: this.#txOffset })
    return row?.cursor ?? '0.0'
  }

  async entriesAfter(
    position: string,
    limit: number,
  ): Promise<readonly { position: string; receivedAt: number; bytes: number }[]> {
    const params = { ...placeOf('after', position), tx_offset: this.#txOffset, limit }
    return await this.#sql.run(this.#client, 'entriesToWalkOver', params)
  }

  async entriesWithin(stretch: Stretch): Promise<readonly AgedEntry[]> {
    return (await this.#sql.run<AgedEntryRow>(this.#client, 'entriesWithin', boundsOf(stretch))).map(agedEntryOfRow)
  }

  async removeEntries(stretch: Stretch, logIds: readonly number[]): Promise<readonly Removed[]> {
    await this.#sql.run(this.#client, 'allowRemovals')
    const params = { ...boundsOf(stretch), log_ids: logIds }
    const rows = [
      ...(await this.#sql.run<RemovedRow>(this.#client, 'removeEntries', params)),
      ...(await this.#sql.run<RemovedRow>(this.#client, 'removeBatchedEntries', params)),
    ]
    await this.#sql.run(this.#client, 'forbidRemovals')
    const pks = [...new Set(rows.flatMap(({ job }) => job ?? []))]
    await this.#sql.run(this.#client, 'removePastJobs', { pks })
    return rows.map(({ log_id: logId, received_at: receivedAt }) => ({ logId, receivedAt }))
  }

  async add(segment: Segment): Promise<void> {
    await this.#sql.run(this.#client, 'insertSegment', { ...segmentRow(segment) })
  }

  async find(file: string): Promise<Segment | null> {
    const [row] = await this.#sql.run<SegmentRow>(this.#client, 'segmentOfFile', { file })
    return row === undefined ? null : segmentOfRow(row)
  }

  async page(before: number | null, limit: number) {
    return segmentPage(await this.#sql.run<SegmentRow>(this.#client, 'segmentPage', { before, limit }), limit)
  }
}

function boundsOf({ after, upto }: Stretch): Record<string, number> {
  return { ...placeOf('after', after), ...placeOf('upto', upto) }
}

/** Before all entries, where the walk begins, there is no id. */
function placeOf(name: string, position: string): Record<string, number> {
  const [tx, logId = 0] = position.split('.').map(Number)
  return { [`${name}_tx`]: tx ?? 0, [`${name}_log_id`]: logId }
}
