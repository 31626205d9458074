import type { ClaimedRow } from '../claimed-row.ts'

/**
 * A job as the statement of a claim answers it: a row for each of thousands, of which every column costs something. The last
 * holds what most jobs have alike, as a JSON array; null where it is as in a plain job that was just submitted, and the options
 * alone, an object, where they are all that such a job has besides.
 */
export type ClaimedAnswer = readonly [
  ...[pk: number, id: string, name: string, namespace: string, type: number, priority: number, createdAt: number],
  ...[paramsDigest: string | null, params: string | null, claimedAt: number, rest: string | null],
]

// biome-ignore format: one name for each column, in their order
export function claimedRow(answer: ClaimedAnswer): ClaimedRow {
  const [pk, id, name, namespace, type, priority, createdAt, paramsDigest, params, claimedAt, rest] = answer
  if (rest === null || rest.startsWith('{')) {
    return [
      pk, id, 1, 0, name, namespace, null, 1, priority, 100 * pk, 0, 0, null, createdAt, null, null, createdAt, createdAt, null,
      null, null, null, null, null, rest, null, paramsDigest, params, null, type, 0, null, null, null, claimedAt, null,
    ]
  }
  const [
    revision, released, key, version, position, attempt, charged, outcome, scheduledFor, expiresAt, deadlineAt, queuedAt,
    templateId, scheduleId, groupId, retryOf, submittedBy, labels, options, detail, trace, state, startedAt, resultDigest, result,
    attemptDeadlineAt,
  ] = JSON.parse(rest)
  return [
    pk, id, revision, released, name, namespace, key, version, priority, position, attempt, charged, outcome, scheduledFor,
    expiresAt, deadlineAt, createdAt, queuedAt, templateId, scheduleId, groupId, retryOf, submittedBy, labels, options, detail,
    paramsDigest, params, trace, type, state, startedAt, resultDigest, result, claimedAt, attemptDeadlineAt,
  ]
}
