import type { CompletionRow } from '../completion.ts'
import type { Statements } from './statements.ts'

/**
 * Writes completions, and tells which. It is the decider's `finish`, written for speed: the contract holds it equal to the
 * decider. Taking the claim is the right to do it, and its run is the end: the job's row is not written.
 */
export function complete(sql: Statements, rows: readonly CompletionRow[], now: number): readonly boolean[] {
  // What an end opens for others is for `apply` to do. Most of the time there are no such others at all.
  const isAnybodyWaiting = sql.row('anyWait') !== null
  const isAnythingLimited = sql.row('anyPermit') !== null
  return rows.map((row) => {
    if (isAnybodyWaiting && sql.row('isAwaited', row.pk) !== null) return false
    if (isAnythingLimited && sql.row('holdsLimit', row.pk) !== null) return false
    return completeOne(sql, row, now)
  })
}

function completeOne(sql: Statements, row: CompletionRow, now: number): boolean {
  const { pk, guard, version, attempt, started_at, token, worker_id, result_digest, result } = row
  if (sql.write('endClaim', pk, guard) === 0) return false
  sql.write('removeName', row.name, pk)
  if (row.key !== null) sql.write('removeKeyOf', pk, row.namespace, row.key)
  if (row.has_deadline === 1) sql.write('removeDeadline', pk)
  const { exit_code, artifacts, log_path } = row
  sql.write(
    'insertEnd',
    ...[pk, attempt, worker_id, started_at, now, exit_code, artifacts, log_path, token, result_digest, result],
  )
  const { namespace, actor, cause, execution_id, trace_id, span_id, facts } = row
  const digest = result_digest === null ? null : `"${result_digest}"`
  const attributes = `{"attempt":${attempt},"resultDigest":${digest}${facts === null ? '' : `,${facts}`}}`
  sql.write(
    'insertOwnEvent',
    ...[pk, version, 6, now, now, namespace, actor, cause, execution_id, trace_id, span_id, attributes],
  )
  return true
}
