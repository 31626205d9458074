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

/** Makes tasks of the first shards that are none yet. Once any of their names is taken it makes no more, and gives the shards. */
export function openTasks(tx: Making, sql: Statements, terms: TaskTerms, wanted: number): readonly ShardRow[] {
  const { parent: job } = terms
  for (let left = wanted; left > 0; ) {
    const found = firstInARow(sql, job, left)
    if (found === null) return []
    if (!openInARow(tx, sql, terms, found)) return tx.shards.open(job, left)
    left -= found.count
  }
  return []
}

interface InARow {
  readonly count: number
  readonly first_idx: number
  readonly last_idx: number
}

/** The first shards up to a gap. There are gaps only among those of a retry, where the states of others were taken over. */
function firstInARow(sql: Statements, job: number, most: number): InARow | null {
  const found = sql.get<InARow>('firstShards', { job, most })
  if (found === undefined || found.count === 0) return null
  const { count, first_idx, last_idx } = found
  if (last_idx - first_idx === count - 1) return found
  const last = sql.get<{ idx: number }>('lastBeforeGap', { job, first_idx })?.idx ?? first_idx
  return { count: last - first_idx + 1, first_idx, last_idx: last }
}

/** False when one of their names is taken: then none was made. */
function openInARow(
  tx: Making,
  sql: Statements,
  { type, ...terms }: TaskTerms,
  { count, ...indexes }: InARow,
): boolean {
  const pks = tx.reserve(count)
  const range = { first: pks[0] ?? 0, last: pks.at(-1) ?? 0 }
  const { parent: job } = terms
  const { now } = tx
  const given = { ...terms, ...range, ...indexes, type: tx.typeId(type), now }
  // A statement each for all of them: what one call of a statement costs is half of what it does.
  sql.run('insertTasks', given)
  if (sql.run('insertTaskNames', range) < count) {
    sql.run('removeTaskNames', range)
    sql.run('removeTasks', range)
    return false
  }
  sql.run('insertTaskEvents', given)
  sql.run('insertPlainReady', range)
  sql.run('removeFirstShards', given)
  sql.run('shardsOpened', { job, count })
  return true
}
