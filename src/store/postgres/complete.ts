import type { ClientBase } from 'pg'
import type { CompletionRow } from '../completion.ts'
import type { Completed } from '../store.ts'
import { type Column, columns } from './columns.ts'
import type { Params, Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

const completionColumns = [
  ...['pk', 'guard', 'result_digest', 'result', 'exit_code', 'artifacts', 'log_path', 'cause', 'trace_id', 'span_id'],
  'facts',
] as const satisfies readonly Column<CompletionRow>[]

export interface Stamp {
  readonly now: number | null
  readonly tx_offset: number
}

/** What the statement of all completions answers. */
export interface CompletedRow {
  readonly now: number
  readonly written: readonly (number | string)[]
}

/** Writes completions in one statement. */
export async function complete(
  client: ClientBase,
  sql: Statements,
  stamp: Stamp,
  rows: readonly CompletionRow[],
): Promise<Completed> {
  const [answer] = await sql.run<CompletedRow>(client, 'completeJobs', completionParams(rows, stamp))
  return completedBy(answer ?? { now: 0, written: [] }, rows)
}

export function completionParams(rows: readonly CompletionRow[], stamp: Stamp): Params {
  // All who write jobs meet them in the order of their keys, so nobody waits in a circle.
  const ordered = [...rows].sort((a, b) => a.pk - b.pk)
  const actor = ordered[0]?.actor ?? null
  const isOfOne = ordered.every((row) => row.actor === actor)
  return {
    ...columns('', completionColumns, ordered),
    ...executions(ordered),
    actor: isOfOne ? actor : null,
    actors: isOfOne ? [] : ordered.map((row) => row.actor),
    ...stamp,
  }
}

export function completedBy({ now, written }: CompletedRow, rows: readonly CompletionRow[]): Completed {
  const keys = new Set(written.map(Number))
  return { at: now, done: rows.map(({ pk }) => keys.has(pk)) }
}

/** Ids of executions are those of runs, nearly always: they end with what the job's row says, so their beginning will do. */
function executions(rows: readonly CompletionRow[]) {
  const [first] = rows
  const prefix = first?.execution_id?.slice(0, -runOf(first).length) ?? null
  const areRuns = rows.every((row) => row.execution_id === `${prefix}${runOf(row)}`)
  return areRuns
    ? { run_prefix: prefix, execution_id: '{}' }
    : { run_prefix: null, ...columns('', ['execution_id'], rows) }
}

function runOf({ id, attempt }: CompletionRow): string {
  return `${id}-run-${attempt}`
}

/** Whether more than the statement of all completions has to be done for a job. */
export function leavesRows({ key, has_deadline }: CompletionRow): boolean {
  return key !== null || has_deadline === 1
}

/** Does the rest for those that leave more behind, in the same transaction. */
export async function forgetCompleted(
  client: ClientBase,
  sql: Statements,
  types: TypeIds,
  rows: readonly CompletionRow[],
): Promise<void> {
  const leaving = rows.filter(leavesRows)
  if (leaving.length === 0) return
  const keyed = leaving.filter(({ key }) => key !== null)
  const typeIds = await types.of(
    client,
    keyed.map(({ type }) => type),
  )
  const keys = keyed.map(({ pk, namespace, type, key }) => ({ namespace, type: typeIds(type), key, job: pk }))
  await sql.run(client, 'forgetCompleted', {
    pk: leaving.map(({ pk }) => pk),
    ...columns('key_', ['namespace', 'type', 'key', 'job'], keys),
  })
}
