import type { ClientBase } from 'pg'
import type { Inserted, PlainRow } from '../plain-submission.ts'
import { type Column, columns } from './columns.ts'
import type { Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

const plainColumns = [
  ...['id', 'name', 'namespace', 'priority', 'labels', 'options', 'params_digest', 'params', 'trace_parent', 'actor'],
  ...['cause', 'execution_id', 'trace_id', 'span_id', 'attributes'],
] as const satisfies readonly Column<PlainRow>[]

/** Writes plain jobs in one statement and one round trip; null when a name or an id is taken, or defaults must be filled in. */
export async function insertPlain(
  client: ClientBase,
  sql: Statements,
  types: TypeIds,
  stamp: { readonly now: number | null; readonly tx_offset: number },
  rows: readonly PlainRow[],
): Promise<Inserted | null> {
  const typeIds = await types.of(
    client,
    rows.map(({ type }) => type),
  )
  const numbers = rows.map(({ type }) => ({ type: typeIds(type) }))
  try {
    const [answer] = await sql.run<{ now: number; pks: readonly string[] }>(client, 'insertPlainJobs', {
      ...columns('', plainColumns, rows),
      ...columns('', ['type'], numbers),
      ...stamp,
    })
    const pks = (answer?.pks ?? []).map(Number)
    return pks.length < rows.length ? null : { at: answer?.now ?? 0, pks }
  } catch (error) {
    if (isTaken(error)) return null
    throw error
  }
}

/** 23505 is a unique violation. */
function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505'
}
