import type { TaskTerms } from '../shards/new-tasks.ts'
import type { ShardRow } from '../shards/shards.ts'
import type { SqliteShards } from './shards.ts'
import type { Statements } from './statements.ts'

/** What it needs of its transaction. */
interface Making {
  readonly now: number
  readonly shards: SqliteShards
  typeId(type: string): number
  reserve(count: number): readonly number[]
}

/** Makes tasks of the first shards that are none yet. If any of their names is taken it makes none, and gives the shards. */
export function openTasks(
  tx: Making,
  sql: Statements,
  { type, ...terms }: TaskTerms,
  wanted: number,
): readonly ShardRow[] {
  const { parent: job } = terms
  const [count, last_idx] = (sql.row('lastToOpen', job, wanted) ?? []) as readonly [number, number | null]
  if (last_idx === null) return []
  const pks = tx.reserve(count)
  const range = { first: pks[0] ?? 0, last: pks.at(-1) ?? 0 }
  const { now } = tx
  const given = { ...terms, ...range, last_idx, type: tx.typeId(type), now }
  // A statement each for all of them: what one call of a statement costs is half of what it does.
  sql.run('insertTasks', given)
  if (sql.run('insertTaskNames', range) < count) {
    sql.run('removeTaskNames', range)
    sql.run('removeTasks', range)
    return tx.shards.open(job, count)
  }
  sql.run('insertTaskEvents', given)
  sql.run('insertPlainReady', range)
  sql.run('removeFirstShards', given)
  sql.run('shardsOpened', { job, count })
  return []
}
