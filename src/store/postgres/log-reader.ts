import type { ClientBase } from 'pg'
import { checkJobs, checkLimit, checkNewestFirst, refuse } from '../check-input.ts'
import { logEntry } from '../event-row.ts'
import type { EventsPage, EventsRequest, HeldBack } from '../store.ts'
import type { Database } from './database.ts'
import { eventsOfRecord, type LogPosition, type PlacedRow } from './records.ts'
import type { Statements } from './statements.ts'
import * as work from './work.ts'

/** Reads the log in its order. */
export class LogReader {
  readonly #database: Database
  readonly #sql: Statements

  constructor(database: Database) {
    this.#database = database
    this.#sql = database.sql
  }

  events(request: EventsRequest): Promise<EventsPage> {
    return this.#database.withClient(async (client) => {
      const { after = null, limit } = request
      const [after_tx, after_log_id] = readCursor(after)
      const position = { after_tx, after_log_id, limit: checkLimit(limit), tx_offset: this.#database.txOffset }
      const jobs = checkJobs(request)
      if (jobs !== null) return await this.#eventsAmong(client, position, jobs, after)
      const rows = checkNewestFirst(request)
        ? await this.#newestRows(client, position)
        : await this.#eventRows(client, position, request)
      const cursors = rows.map(cursorOf)
      return { entries: rows.map(logEntry), cursors, cursor: cursors.at(-1) ?? after }
    })
  }

  /** Of the next entries those of some jobs. Only they travel, and the last of all. */
  async #eventsAmong(
    client: ClientBase,
    position: LogPosition & { readonly tx_offset: number },
    jobs: readonly string[],
    after: string | null,
  ): Promise<EventsPage> {
    const rows = await this.#sql.run<LookedRow>(client, 'eventsAfter', { ...position, ids: jobs })
    const last = rows.at(-1)
    const wanted = new Set(jobs)
    const own = rows.filter(({ job_ref, job_id }) => wanted.has(job_ref ?? job_id ?? ''))
    const cursor = last === undefined ? after : cursorOf(last)
    return { entries: own.map(logEntry), cursors: own.map(cursorOf), cursor, looked: Number(last?.looked ?? 0) }
  }

  end(): Promise<string> {
    return this.#database.withClient(async (client) => {
      const [row] = await this.#sql.run<{ tx: number }>(client, 'logEnd', { tx_offset: this.#database.txOffset })
      return `${row?.tx}.0`
    })
  }

  heldBack(): Promise<HeldBack | null> {
    return this.#database.withClient(async (client) => {
      const [row] = await this.#sql.run<HeldBack>(client, 'heldBack', { tx_offset: this.#database.txOffset })
      return row ?? null
    })
  }

  /** Nothing comes before the first entry, so a page that goes on from there begins at the end. */
  #newestRows(
    client: ClientBase,
    { after_tx, after_log_id, ...position }: LogPosition & { readonly tx_offset: number },
  ): Promise<readonly PlacedRow[]> {
    const before_tx = after_tx < 0 ? Number.MAX_SAFE_INTEGER : after_tx
    return this.#sql.run<PlacedRow>(client, 'eventsBefore', { ...position, before_tx, before_log_id: after_log_id })
  }

  async #eventRows(
    client: ClientBase,
    position: LogPosition & { readonly tx_offset: number },
    { jobId, record }: EventsRequest,
  ): Promise<readonly PlacedRow[]> {
    if (record !== undefined) return await eventsOfRecord(client, this.#sql, record, position)
    if (jobId === undefined) return await this.#sql.run<PlacedRow>(client, 'eventsAfter', { ...position, ids: null })
    const job = await work.anyKeyOf(client, this.#sql, jobId)
    if (job === null) return []
    return await this.#sql.run<PlacedRow>(client, 'eventsOfJobAfter', { ...position, id: jobId, job })
  }
}

/** A row among others that were looked at. */
type LookedRow = PlacedRow & { readonly looked: number }

function cursorOf({ tx, log_id }: PlacedRow): string {
  return `${tx}.${log_id}`
}

function readCursor(cursor: string | null): readonly [tx: number, logId: number] {
  if (cursor === null) return [-1, 0]
  const parts = typeof cursor === 'string' ? /^([0-9]{1,15})\.([0-9]{1,16})$/.exec(cursor) : null
  if (parts !== null) return [Number(parts[1]), Number(parts[2])]
  throw refuse('after', cursor, 'must be a cursor that this store gave')
}
