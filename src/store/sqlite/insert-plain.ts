import { laneOf } from '../change.ts'
import { positionOf } from '../event-data.ts'
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
    sql.write('insertName', name, pk)
    sql.write(
      'insertPlainJob',
      ...[pk, id, name, namespace, type, priority, at, labels, options, params_digest, params, trace_parent],
    )
    sql.write('insertReady', laneOf(type, false), priority, positionOf(pk), pk, 1, null, 0, namespace)
    sql.write(
      'insertOwnEvent',
      ...[pk, 1, 1, at, at, namespace, actor, cause, execution_id, trace_id, span_id, attributes],
    )
  }
  return { at, pks }
}
