import { StintError } from '../core/errors.ts'
import { step } from '../core/job/decide.ts'
import { elapsesAt, type Job } from '../core/job/job.ts'
import { changeOf } from './change.ts'
import { checkFacts } from './check-command.ts'
import { attempt, checkContext, checkNow } from './check-input.ts'
import { digestOf } from './digest.ts'
import { jsonOrNull } from './encoding.ts'
import type { Supply } from './slots/supply.ts'
import type { AtTime, Completed, Completion, StoredJob } from './store.ts'
import { checkJsonText } from './submission.ts'

/** What is written for a completion, as columns of both stores. */
export interface CompletionRow {
  readonly pk: number
  readonly id: string
  /** The revision of the claim: whatever else happens to a claimed job changes it, or takes the claim away. */
  readonly guard: number
  readonly version: number
  readonly attempt: number
  readonly started_at: number | null
  readonly token: string | null
  readonly worker_id: string | null
  readonly result_digest: string | null
  readonly result: string | null
  readonly name: string
  readonly namespace: string
  readonly type: string
  readonly key: string | null
  /** The UUID of the sharded job that it is a task of. */
  readonly task_of: string | null
  /** A job that another submitted: that one, or its other jobs, often need what it comes to. */
  readonly is_child: boolean
  /** Time alone would have changed the job. */
  readonly has_deadline: number
  readonly exit_code: number | null
  readonly artifacts: string | null
  readonly log_path: string | null
  readonly actor: string | null
  readonly cause: string | null
  readonly execution_id: string | null
  readonly trace_id: string | null
  readonly span_id: string | null
  /** The facts in its event, as the inside of a JSON object; null without any. */
  readonly facts: string | null
}

/** Writes the completions of jobs that are as they were claimed, and leaves the others. */
export async function completeRows(
  completions: readonly Completion[],
  options: AtTime,
  write: (rows: readonly CompletionRow[], options: AtTime) => Promise<Completed>,
): Promise<Completed> {
  checkNow(options.now)
  const rows = completions.map((completion) => rowOf(completion))
  const written = rows.filter((row) => row !== null)
  if (written.length === 0) return { at: 0, done: rows.map(() => false) }
  const { done, ...rest } = await write(written, options)
  let next = 0
  return { ...rest, done: rows.map((row) => row !== null && done[next++] === true) }
}

/** Null for what is wrong, too: `apply` says what it is. */
function rowOf(completion: Completion): CompletionRow | null {
  const { phase, cancelReason, groupId, shards } = completion.job.job
  // The end of a member is told to its group, and an attempt that was resumed is another end.
  const isPlain = groupId === null && shards === null && isFirstSlice(completion.job.job)
  if (phase !== 'running' || cancelReason !== null || !isPlain) return null
  const row = attempt(() => completionRow(completion))
  return row instanceof StintError ? null : row
}

/** Of a task: nothing was saved or has failed before, so its attempt began with this claim. */
function isFirstSlice({ slices, attempt }: Job): boolean {
  return slices === null || (attempt === 1 && slices.seq === 0 && slices.failures === 0 && slices.error === null)
}

/** What a job that was completed is for those who wait for its output. */
export function supplyOf({ pk, id, name, namespace, result }: CompletionRow): Supply {
  return { pk, id, name, namespace, isOver: true, value: result ?? 'null', error: null }
}

/** How many tasks of each sharded job were written, by the UUID of that. */
export function completedTasks(rows: readonly CompletionRow[], done: readonly boolean[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const [i, { task_of }] of rows.entries()) {
    if (task_of !== null && done[i]) counts.set(task_of, (counts.get(task_of) ?? 0) + 1)
  }
  return counts
}

function completionRow(completion: Completion): CompletionRow {
  const { job, guard } = completion.job
  const { facts = {} } = checkFacts(completion.facts, 'ending')
  const result = checkJsonText(completion.result, 'result')
  const {
    actor = null,
    cause = null,
    executionId = null,
    traceId = null,
    spanId = null,
  } = checkContext(completion.context)
  const resultDigest = digestOf(result)
  return {
    pk: guard.pk,
    id: job.id,
    guard: guard.revision,
    version: job.version + 1,
    attempt: job.attempt,
    started_at: job.startedAt,
    token: job.token,
    worker_id: job.workerId,
    result_digest: resultDigest,
    result,
    name: job.name,
    namespace: guard.namespace,
    type: job.type,
    key: job.key,
    task_of: job.task?.of ?? null,
    is_child: job.submittedBy !== null,
    has_deadline: elapsesAt(job) === null ? 0 : 1,
    exit_code: facts.exitCode ?? null,
    artifacts: facts.artifacts === undefined ? null : jsonOrNull(facts.artifacts),
    log_path: facts.logPath ?? null,
    actor,
    cause,
    execution_id: executionId,
    trace_id: traceId,
    span_id: spanId,
    facts: completion.facts === undefined ? null : (jsonOrNull(facts)?.slice(1, -1) ?? null),
  }
}

/** The job as a completion leaves it: what the decider says. */
export function completedJob({ job: stored, result, facts, context }: Completion, at: number): StoredJob {
  const resultDigest = digestOf(result)
  const ending = { kind: 'completed', resultDigest, ...(facts === undefined ? {} : { facts }) } as const
  const made = step(stored.job, { type: 'finish', token: stored.job.token ?? '', ending }, at, context)
  return changeOf(stored, made, { result }).after
}
