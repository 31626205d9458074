import type { ClientBase } from 'pg'
import type { CompletionRow } from '../completion.ts'
import { type Column, columns } from './columns.ts'
import type { Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

/** What one row of the log stands for at the most. */
const batchMax = 1_024

const plainColumns = [
  'pk',
  'guard',
  'name',
  'result_digest',
  'result',
] as const satisfies readonly Column<CompletionRow>[]

const completionColumns = [
  ...['pk', 'guard', 'result_digest', 'result', 'exit_code', 'artifacts', 'log_path', 'cause', 'trace_id', 'span_id'],
  'facts',
] as const satisfies readonly Column<CompletionRow>[]

/** Completions by the statement that writes them. All who write jobs meet them in the order of their keys. */
export interface Sorted {
  /** Ends of first attempts that tell nothing but their results: the log gets one row for all of them. */
  readonly plain: readonly CompletionRow[]
  readonly others: readonly CompletionRow[]
  /** Of all that are plain. */
  readonly actor: string | null
  readonly runPrefix: string | null
}

export function sorted(rows: readonly CompletionRow[]): Sorted {
  const inOrder = [...rows].sort((a, b) => a.pk - b.pk)
  const first = inOrder.find(tellsNothing)
  const actor = first?.actor ?? null
  const runPrefix = first === undefined ? null : prefixOf(first)
  const [plain, others]: [CompletionRow[], CompletionRow[]] = [[], []]
  for (const row of inOrder) {
    const isAlike = tellsNothing(row) && row.actor === actor && isRunOf(row, runPrefix) && plain.length < batchMax
    if (isAlike) plain.push(row)
    else others.push(row)
  }
  return { plain, others, actor, runPrefix }
}

function tellsNothing(row: CompletionRow): boolean {
  return (
    row.version === plainVersion &&
    row.attempt === 1 &&
    row.facts === null &&
    row.cause === null &&
    row.trace_id === null &&
    row.span_id === null
  )
}

/** A job is created, starts and completes. */
const plainVersion = 3

interface Written {
  readonly now: number
  readonly written: readonly number[]
}

/** Writes completions, with one statement for each of the two sorts that there are some of. */
export async function complete(
  client: ClientBase,
  sql: Statements,
  stamp: { readonly now: number | null; readonly tx_offset: number },
  { plain, others, actor, runPrefix }: Sorted,
): Promise<{ readonly at: number; readonly written: ReadonlySet<number> }> {
  const answers: Written[] = []
  if (plain.length > 0) {
    const params = { ...columns('', plainColumns, plain), actor, run_prefix: runPrefix, ...stamp }
    answers.push(...(await sql.run<Written>(client, 'completePlainJobs', params)))
  }
  if (others.length > 0) {
    const params = { ...columns('', completionColumns, others), ...actors(others), ...executions(others), ...stamp }
    answers.push(...(await sql.run<Written>(client, 'completeJobs', params)))
  }
  const written = new Set(answers.flatMap((answer) => answer.written.map(Number)))
  return { at: answers.at(-1)?.now ?? 0, written }
}

function actors(rows: readonly CompletionRow[]) {
  const actor = rows[0]?.actor ?? null
  const isOfOne = rows.every((row) => row.actor === actor)
  return { actor: isOfOne ? actor : null, actors: isOfOne ? [] : rows.map((row) => row.actor) }
}

/** Ids of executions are those of runs, nearly always: they end with what the job's row says, so their beginning will do. */
function executions(rows: readonly CompletionRow[]) {
  const [first] = rows
  const prefix = first === undefined ? null : prefixOf(first)
  return rows.every((row) => isRunOf(row, prefix))
    ? { run_prefix: prefix, execution_id: '{}' }
    : { run_prefix: null, ...columns('', ['execution_id'], rows) }
}

/** What stands before the UUID of the job in the id of its run; null where something else was executed. */
function prefixOf(row: CompletionRow): string | null {
  const run = runOf(row)
  return row.execution_id?.endsWith(run) ? row.execution_id.slice(0, -run.length) : null
}

function isRunOf(row: CompletionRow, prefix: string | null): boolean {
  return row.execution_id === (prefix === null ? null : `${prefix}${runOf(row)}`)
}

function runOf({ id, attempt }: CompletionRow): string {
  return `${id}-run-${attempt}`
}

/** Whether more than the statement of all completions has to be done for a job. */
export function leavesMore(row: CompletionRow): boolean {
  return row.task_of !== null || leavesRows(row)
}

function leavesRows({ key, has_deadline }: CompletionRow): boolean {
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
