import type { Inserted, PlainRow } from '../plain-submission.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'
import type { Statements } from './statements.ts'

/** Writes plain jobs; null when there are defaults to fill in. Throws when a name or an id is taken: all is undone. */
export function insertPlain(tx: SqliteTransaction, sql: Statements, rows: readonly PlainRow[]): Inserted | null {
  if (sql.row('hasDefaults') !== null) return null
  const { now: at } = tx
  const pks = tx.reserve(rows.length)
  for (const [i, row] of rows.entries()) {
    const pk = pks[i] ?? 0
    const { id, name, namespace, priority, labels, options, params_digest, params, trace_parent } = row
    const { actor, cause, execution_id, trace_id, span_id, attributes } = row
    const type = tx.typeId(row.type)
    sql.write(
      'insertPlainJob',
      ...[pk, id, name, namespace, type, priority, at, labels, options, params_digest, params, trace_parent],
    )
    sql.write(
      'insertOwnEvent',
      ...[pk, 1, 1, at, at, namespace, actor, cause, execution_id, trace_id, span_id, attributes],
    )
  }
  // One statement for all: what one call of a statement costs is half of what it does.
  const range = { first: pks[0] ?? 0, last: pks.at(-1) ?? 0 }
  sql.run('insertPlainNames', range)
  sql.run('insertPlainReady', range)
  return { at, pks }
}
