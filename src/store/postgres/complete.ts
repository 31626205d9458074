import type { ClientBase } from 'pg'
import type { CompletionRow } from '../completion.ts'
import type { Completed } from '../store.ts'
import { type Column, columns } from './columns.ts'
import type { Statements } from './statements.ts'
import type { TypeIds } from './type-ids.ts'

const completionColumns = [
  ...[
    'pk',
    'guard',
    'version',
    'attempt',
    'started_at',
    'token',
    'worker_id',
    'detail',
    'result_digest',
    'result',
    'name',
  ],
  ...['namespace', 'exit_code', 'artifacts', 'log_path', 'actor', 'cause', 'execution_id', 'trace_id', 'span_id'],
  ...['attributes'],
] as const satisfies readonly Column<CompletionRow>[]

/** Writes completions in one statement and one round trip. */
export async function complete(
  client: ClientBase,
  sql: Statements,
  types: TypeIds,
  stamp: { readonly now: number | null; readonly tx_offset: number },
  rows: readonly CompletionRow[],
): Promise<Completed> {
  // All who write jobs meet them in the order of their keys, so nobody waits in a circle.
  const ordered = [...rows].sort((a, b) => a.pk - b.pk)
  const keyed = ordered.filter(({ key }) => key !== null)
  const typeIds = await types.of(
    client,
    keyed.map(({ type }) => type),
  )
  const keys = keyed.map(({ pk, namespace, type, key }) => ({ namespace, type: typeIds(type), key, job: pk }))
  const [answer] = await sql.run<{ now: number; written: readonly number[] }>(client, 'completeJobs', {
    ...columns('', completionColumns, ordered),
    ...columns('key_', ['namespace', 'type', 'key', 'job'], keys),
    timeless: ordered.filter(({ has_deadline }) => has_deadline === 1).map(({ pk }) => pk),
    ...stamp,
  })
  const written = new Set((answer?.written ?? []).map(Number))
  return { at: answer?.now ?? 0, done: rows.map(({ pk }) => written.has(pk)) }
}
