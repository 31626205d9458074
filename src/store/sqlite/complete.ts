import type { CompletionRow } from '../completion.ts'
import type { Statements } from './statements.ts'

/**
 * Writes completions, and tells which. It is the decider's `finish`, written for speed: the contract holds it equal to the
 * decider. The guard is the revision of the job's row: whatever else happens to a claimed job writes that row.
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
  const { pk, guard, version, attempt, started_at, token, worker_id, detail, result_digest, result } = row
  const written = sql.write(
    'completeJob',
    ...[guard + 2, pk, version, attempt, started_at, now, token, detail, result_digest, result, guard],
  )
  if (written === 0) return false
  sql.write('removeClaim', pk)
  sql.write('removeName', row.name, pk)
  if (row.key !== null) sql.write('removeKeyOf', pk, row.namespace, row.key)
  if (row.has_deadline === 1) sql.write('removeDeadline', pk)
  sql.write(
    'insertCompletedRun',
    ...[pk, attempt, worker_id, started_at, now, row.exit_code, row.artifacts, row.log_path],
  )
  const { namespace, actor, cause, execution_id, trace_id, span_id, attributes } = row
  sql.write(
    'insertOwnEvent',
    ...[pk, version, 6, now, now, namespace, actor, cause, execution_id, trace_id, span_id, attributes],
  )
  return true
}
