import type { TaskTerms } from '../shards/new-tasks.ts'
import type { ShardRow } from '../shards/shards.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'
import type { Statements } from './statements.ts'

/** Makes tasks of the first shards that are none yet. If any of their names is taken it makes none, and gives the shards. */
export function openTasks(
  tx: SqliteTransaction,
  sql: Statements,
  { type, ...terms }: TaskTerms,
  count: number,
): readonly ShardRow[] {
  const { parent, name_before } = terms
  if (sql.row('anyTaskName', name_before, parent, count) !== null) return tx.shards.open(parent, count)
  const pks = tx.reserve(count)
  const range = { first: pks[0] ?? 0, last: pks.at(-1) ?? 0 }
  const { now } = tx
  // A statement each for all of them: what one call of a statement costs is half of what it does.
  const given = { ...terms, type: tx.typeId(type), count, now, ...range }
  const made = sql.run('insertTasks', given)
  sql.run('insertTaskEvents', given)
  sql.run('insertPlainNames', range)
  sql.run('insertPlainReady', range)
  sql.run('removeFirstShards', { job: parent, count })
  sql.run('shardsOpened', { job: parent, count: made })
  return []
}
