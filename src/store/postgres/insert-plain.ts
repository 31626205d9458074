import type { ClientBase } from 'pg'
import type { Inserted, PlainRow, PlainRows } from '../plain-submission.ts'
import { arrayOf, type Column } from './columns.ts'
import { batchMax } from './complete.ts'
import type { Params, Statements } from './statements.ts'

const plainColumns = [
  ...['id', 'name', 'namespace', 'priority', 'labels', 'options', 'params_digest', 'params', 'trace_parent', 'actor'],
  ...['cause', 'execution_id', 'trace_id', 'span_id', 'attributes', 'timeout_ms'],
] as const satisfies readonly Column<PlainRow>[]

/** Nobody is there to start them. */
const notStarted: Params = {
  ...{ start: false, token: null, worker_id: null, worker_actor: null, worker_cause: null, worker_execution: null },
  ...{ worker_trace: null, worker_span: null },
}

/** Whoever reads the first entry of one job reads its whole batch, so that is bounded. */
const batchChars = 1_000_000

export function plainParams(rows: PlainRows, typeId: (type: string) => number): Params {
  const params: Record<string, unknown> = { type: arrayOf(rows.type.map(typeId)), is_batch: isBatch(rows) }
  for (const name of plainColumns) params[name] = arrayOf(rows[name])
  return params
}

/** Whether one row of the log can stand for all of them: nothing but their attributes differs. */
function isBatch({ attributes, ...rows }: PlainRows): boolean {
  if (attributes.length < 2 || attributes.length > batchMax) return false
  const chars = attributes.reduce((sum, { length }) => sum + length, 0)
  return chars <= batchChars && ledBy.every((name) => rows[name].every((value) => value === rows[name][0]))
}

/** Who and what led to an entry. */
const ledBy = ['actor', 'cause', 'execution_id', 'trace_id', 'span_id'] as const

/**
 * Writes plain jobs in one round trip; null when a name or an id is taken, when defaults must be filled in, or where nothing may be
 * stored.
 */
export async function insertPlain(
  client: ClientBase,
  sql: Statements,
  params: Params,
  count: number,
): Promise<Inserted | null> {
  if (!sql.isStored('insertPlainJobs')) return null
  try {
    const [answer] = await sql.run<{ now: number; pks: readonly number[] }>(client, 'insertPlainJobs', {
      ...params,
      ...notStarted,
    })
    const pks = answer?.pks ?? []
    return pks.length < count ? null : { at: answer?.now ?? 0, pks }
  } catch (error) {
    if (isTaken(error)) return null
    throw error
  }
}

/** 23505 is a unique violation. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}
