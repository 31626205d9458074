import type { SQLInputValue } from 'node:sqlite'
import type { Inserted, PlainRows } from '../plain-submission.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'
import type { Statements } from './statements.ts'

/** Writes plain jobs; null when there are defaults to fill in. Throws when a name or an id is taken: all is undone. */
export function insertPlain(tx: SqliteTransaction, sql: Statements, rows: PlainRows): Inserted | null {
  if (sql.row('hasDefaults') !== null) return null
  const { now: at } = tx
  const pks = tx.reserve(rows.id.length)
  const { id, name, namespace, priority, labels, options, params_digest, params, trace_parent } = rows
  const { actor, cause, execution_id, trace_id, span_id, attributes } = rows
  for (const [i, pk] of pks.entries()) {
    const cells = (columns: readonly (readonly SQLInputValue[])[]) => columns.map((column) => column[i] ?? null)
    const type = tx.typeId(rows.type[i] ?? '')
    const [made, more] = [cells([id, name, namespace]), cells([labels, options, params_digest, params, trace_parent])]
    sql.write('insertPlainJob', pk, ...made, type, priority[i] ?? 0, at, ...more)
    const ledBy = cells([namespace, actor, cause, execution_id, trace_id, span_id, attributes])
    sql.write('insertOwnEvent', pk, 1, 1, at, at, ...ledBy)
  }
  // One statement for all: what one call of a statement costs is half of what it does.
  const range = { first: pks[0] ?? 0, last: pks.at(-1) ?? 0 }
  sql.run('insertPlainNames', range)
  sql.run('insertPlainReady', range)
  return { at, pks }
}
