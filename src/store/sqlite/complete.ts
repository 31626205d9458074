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
  const claims = plainClaims(sql, rows)
  const ended: CompletionRow[] = []
  const done = rows.map((row) => {
    const claim = claims.get(row.pk)
    if (claim?.revision !== row.guard) return false
    if (isAnybodyWaiting && sql.row('isAwaited', row.pk) !== null) return false
    if (isAnythingLimited && sql.row('holdsLimit', row.pk) !== null) return false
    claims.delete(row.pk)
    writeEnd(sql, row, claim.startRow, now)
    ended.push(row)
    return true
  })
  const pks = JSON.stringify(ended.map(({ pk }) => pk))
  sql.write('endClaims', pks)
  sql.write('removeNames', JSON.stringify(ended.map(({ name }) => name)), pks)
  return done
}

interface PlainClaim {
  readonly revision: number
  readonly startRow: number
}

function plainClaims(sql: Statements, rows: readonly CompletionRow[]): Map<number, PlainClaim> {
  const found = sql.rows('plainClaims', JSON.stringify(rows.map(({ pk }) => pk)))
  return new Map(
    found.map(([job, revision, startRow]) => [Number(job), { revision: Number(revision), startRow: Number(startRow) }]),
  )
}

function writeEnd(sql: Statements, row: CompletionRow, startRow: number, now: number): void {
  const { pk, version, attempt, started_at, token, worker_id, result_digest, result } = row
  if (row.key !== null) sql.write('removeKeyOf', pk, row.namespace, row.key)
  if (row.has_deadline === 1) sql.write('removeDeadline', pk)
  const { namespace, actor, cause, execution_id, trace_id, span_id, facts } = row
  const digest = result_digest === null ? null : `"${result_digest}"`
  const attributes = `{"attempt":${attempt},"resultDigest":${digest}${facts === null ? '' : `,${facts}`}}`
  const endRow = sql.add(
    'insertLedEvent',
    ...[pk, version, 6, now, now, namespace, actor, cause, execution_id, trace_id, span_id, attributes],
  )
  const { exit_code, artifacts, log_path } = row
  sql.write(
    'insertEnd',
    ...[pk, attempt, worker_id, started_at, now, exit_code, artifacts, log_path, token, result_digest, result],
    ...[startRow, endRow],
  )
}
