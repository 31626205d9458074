import { checkJobs, checkLimit, checkNewestFirst, refuse } from '../check-input.ts'
import { type EventRow, logEntry } from '../event-row.ts'
import type { EventsPage, EventsRequest } from '../store.ts'
import { eventsOfRecord } from './records.ts'
import type { Statements } from './statements.ts'
import { anyKeyOf } from './work.ts'

interface Position {
  readonly after: number
  readonly limit: number
}

/** A page of the log. */
export function eventsPage(sql: Statements, request: EventsRequest): EventsPage {
  const { after = null, limit } = request
  const position = { after: readCursor(after), limit: checkLimit(limit) }
  const jobs = checkJobs(request)
  if (jobs !== null) return pageAmong(sql, position, jobs, after)
  const rows = checkNewestFirst(request) ? newestRows(sql, position) : eventRows(sql, position, request)
  const page = pageOf(rows)
  return { ...page, cursor: page.cursors.at(-1) ?? after }
}

/** What concerns these jobs of the next entries. Only that is made into entries: to find it costs a tenth of reading them all. */
function pageAmong(sql: Statements, position: Position, jobs: readonly string[], after: string | null): EventsPage {
  const stretch = sql.get<{ last: number | null; looked: number }>('logStretch', { ...position })
  const { last = null, looked = 0 } = stretch ?? {}
  if (last === null) return { ...pageOf([]), cursor: after, looked }
  const within = { after: position.after, last, ids: JSON.stringify(jobs) }
  return { ...pageOf(sql.all<EventRow>('eventsOfJobsWithin', within)), cursor: String(last), looked }
}

function pageOf(rows: readonly EventRow[]): Pick<EventsPage, 'entries' | 'cursors'> {
  return { entries: rows.map(logEntry), cursors: rows.map(({ log_id }) => log_id.toString()) }
}

function eventRows(sql: Statements, position: Position, { jobId, record }: EventsRequest): readonly EventRow[] {
  if (record !== undefined) return eventsOfRecord(sql, record, position)
  if (jobId === undefined) return sql.all<EventRow>('eventsAfter', { ...position })
  return sql.all<EventRow>('eventsOfJobAfter', { ...position, id: jobId, job: anyKeyOf(sql, jobId) })
}

/** Before the first entry there is nothing, so that is where to begin when no page was read yet. */
function newestRows(sql: Statements, { after, limit }: Position): readonly EventRow[] {
  return sql.all<EventRow>('eventsBefore', { before: after === 0 ? Number.MAX_SAFE_INTEGER : after, limit })
}

function readCursor(cursor: string | null): number {
  if (cursor === null) return 0
  if (typeof cursor === 'string' && /^[0-9]{1,15}$/.test(cursor)) return Number(cursor)
  throw refuse('after', cursor, 'must be a cursor that this store gave')
}
