import { laneOf } from '../change.ts'
import { positionOf } from '../event-data.ts'
import type { NewTasks } from '../shards/new-tasks.ts'
import type { Statements } from './statements.ts'

/** What it needs of its transaction. */
interface Making {
  readonly now: number
  typeId(type: string): number
  reserve(count: number): readonly number[]
}

/** Writes tasks, and gives the indexes of those whose names were free. */
export function insertTasks(tx: Making, sql: Statements, tasks: NewTasks): ReadonlySet<number> {
  const { rows, parent, parent_attempt, namespace, priority, trace_parent, cause } = tasks
  const { now } = tx
  const type = tx.typeId(tasks.type)
  const pks = tx.reserve(rows.length)
  const made = new Set<number>()
  for (const [i, { idx, id, params, params_digest }] of rows.entries()) {
    const pk = pks[i] ?? 0
    const name = `${tasks.name_before}${idx}`
    if (sql.write('insertFreeName', name, pk) === 0) continue
    made.add(idx)
    const options = `${tasks.options_before}${idx}${tasks.options_after}`
    const described = `${tasks.attributes_before}${idx}${tasks.attributes_after}`
    const attributes = `{"name":${tasks.json_name_before}${idx}","paramsDigest":"${params_digest}",${described}`
    const own = [options, params_digest, params, trace_parent, parent, parent_attempt]
    sql.write('insertTask', ...[pk, id, name, namespace, type, priority, now], ...own)
    sql.write('insertReady', laneOf(type, false), priority, positionOf(pk), pk, 1, null, 0, namespace)
    sql.write('insertOwnEvent', ...[pk, 1, 1, now, now, namespace, null, cause, null, null, null, attributes])
  }
  return made
}
