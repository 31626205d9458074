import type { ClientBase } from 'pg'
import { JobName } from '../../core/names/job-name.ts'
import type { CompletionRow } from '../completion.ts'
import type { Completed } from '../store.ts'
import { type Column, columns } from './columns.ts'
import type { Params, Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

/** What one row of the log stands for at the most. */
export const batchMax = 1_024

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

export interface Stamp {
  readonly now: number | null
  readonly tx_offset: number
  /** Whether those are completed, too, whose ends others wait for: then the caller has to let them go on. */
  readonly with_awaited: boolean
}

/** What a statement that completes jobs answers. */
export interface CompletedRow {
  readonly now: number
  readonly written: readonly number[]
  /** Those whose ends others wait for, where they were asked for. */
  readonly awaited: readonly number[] | null
}

interface WithAwaited extends Completed {
  readonly awaited: ReadonlySet<number>
}

/** Writes completions, with one statement for each of the two sorts that there are some of. */
export async function complete(
  client: ClientBase,
  sql: Statements,
  stamp: Stamp,
  rows: readonly CompletionRow[],
  ends: Sorted = sorted(rows),
): Promise<WithAwaited> {
  const answers: CompletedRow[] = []
  if (ends.plain.length > 0) {
    answers.push(...(await sql.run<CompletedRow>(client, 'completePlainJobs', plainParams(ends, stamp))))
  }
  const { others } = ends
  if (others.length > 0) {
    const params = { ...columns('', completionColumns, others), ...actors(others), ...executions(others), ...stamp }
    answers.push(...(await sql.run<CompletedRow>(client, 'completeJobs', params)))
  }
  return completedBy(answers, rows)
}

export function plainParams({ plain, actor, runPrefix }: Sorted, stamp: Stamp): Params {
  return { ...columns('', plainColumns, plain), actor, run_prefix: runPrefix, ...stamp }
}

export function completedBy(answers: readonly CompletedRow[], rows: readonly CompletionRow[]): WithAwaited {
  const keys = new Set(answers.flatMap(({ written }) => written))
  const awaited = new Set(answers.flatMap((answer) => answer.awaited ?? []))
  return { at: answers.at(-1)?.now ?? 0, done: rows.map(({ pk }) => keys.has(pk)), awaited }
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
  return rows.every((row) => row.task_of === null && isRunOf(row, prefix))
    ? { run_prefix: prefix, execution_id: '{}' }
    : { run_prefix: null, ...columns('', ['execution_id'], rows) }
}

/** What stands before the end that the id of a run has of its own; null where something else was executed. */
function prefixOf(row: CompletionRow): string | null {
  const run = runOf(row)
  return row.execution_id?.endsWith(run) ? row.execution_id.slice(0, -run.length) : null
}

function isRunOf(row: CompletionRow, prefix: string | null): boolean {
  return row.execution_id === (prefix === null ? null : `${prefix}${runOf(row)}`)
}

/** How the id of its run ends: with the UUID of the job, or with the index of a task. */
function runOf({ id, name, attempt, task_of }: CompletionRow): string {
  return `${task_of === null ? id : JobName.parse(name).requireTask().index}-run-${attempt}`
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
