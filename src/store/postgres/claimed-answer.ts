import type { ClaimedRow } from '../claimed-row.ts'

/**
 * A job as the statement of a claim answers it, in JSON. The last element holds what most jobs have alike; null where it is as
 * in a plain job that was just submitted.
 */
type ClaimedAnswer = readonly [
  ...[pk: number, id: string, name: string, namespace: string, type: number, priority: number, createdAt: number],
  ...[paramsDigest: string | null, params: string | null, claimedAt: number, rest: Rest | null],
]

type Rest = readonly [
  ...[revision: number, released: number, key: string | null, version: number, position: number, attempt: number],
  ...[
    charged: number,
    outcome: number | null,
    scheduledFor: number,
    expiresAt: number | null,
    deadlineAt: number | null,
  ],
  ...[queuedAt: number | null, templateId: string | null, scheduleId: string | null, groupId: string | null],
  ...[retryOf: string | null, submittedBy: string | null, labels: string | null, options: string | null],
  ...[detail: string | null, trace: string | null, state: number, startedAt: number | null],
  ...[resultDigest: string | null, result: string | null, attemptDeadlineAt: number | null],
]

/** Rows of the answer: each holds many jobs, or one with very long params. */
export interface ClaimAnswer {
  readonly jobs: string | null
  /** There are jobs that have to pass a gate first. */
  readonly gated: boolean
}

export function claimedRows(answers: readonly ClaimAnswer[]): readonly ClaimedRow[] {
  return answers.flatMap(({ jobs }) => (jobs === null ? [] : (JSON.parse(jobs) as ClaimedAnswer[]).map(claimedRow)))
}

// biome-ignore format: one name for each column, in their order
function claimedRow(answer: ClaimedAnswer): ClaimedRow {
  const [pk, id, name, namespace, type, priority, createdAt, paramsDigest, params, claimedAt, rest] = answer
  if (rest === null) {
    return [
      pk, id, 1, 0, name, namespace, null, 1, priority, 100 * pk, 0, 0, null, createdAt, null, null, createdAt, createdAt, null,
      null, null, null, null, null, null, null, paramsDigest, params, null, type, 0, null, null, null, claimedAt, null,
    ]
  }
  const [
    revision, released, key, version, position, attempt, charged, outcome, scheduledFor, expiresAt, deadlineAt, queuedAt,
    templateId, scheduleId, groupId, retryOf, submittedBy, labels, options, detail, trace, state, startedAt, resultDigest, result,
    attemptDeadlineAt,
  ] = rest
  return [
    pk, id, revision, released, name, namespace, key, version, priority, position, attempt, charged, outcome, scheduledFor,
    expiresAt, deadlineAt, createdAt, queuedAt, templateId, scheduleId, groupId, retryOf, submittedBy, labels, options, detail,
    paramsDigest, params, trace, type, state, startedAt, resultDigest, result, claimedAt, attemptDeadlineAt,
  ]
}
