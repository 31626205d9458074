import type { Outcome, Run } from '../core/job/job.ts'
import type { Json } from '../core/json.ts'
import type { PastJob } from '../store/retention/pasts.ts'
import type { StoredJob } from '../store/store.ts'
import { dateOf } from './job-view.ts'

/** One attempt as it is shown. */
export interface RunView {
  /** Text form of its RunId. */
  readonly id: string
  /** Text form of its job's JobRunId. */
  readonly jobId: string
  readonly templateId: string | null
  readonly params: Json
  readonly attempt: number
  /** Null while the attempt is open. */
  readonly status: Outcome | null
  /** Why it did not complete; null when it did, or has not ended. */
  readonly reason: string | null
  readonly error: string | null
  readonly workerId: string | null
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly durationMs: number | null
  readonly exitCode: number | null
  readonly artifacts: readonly string[]
  readonly logPath: string | null
}

/** A run that may not have ended. */
type AnyRun = Omit<Run, 'status' | 'finishedAt'> & {
  readonly status: Outcome | null
  readonly finishedAt: number | null
}

/** What a run shows of its job. */
interface JobOfRun {
  /** Text form of its JobRunId. */
  readonly id: string
  readonly templateId: string | null
  /** JSON text. */
  readonly params: string | null
}

/** The runs of a job, the open one last. */
export function runViews(stored: StoredJob, id: string, runs: readonly Run[]): readonly RunView[] {
  const { job, params } = stored
  return [...runs, ...openRun(stored)].map((run) => runView({ id, templateId: job.templateId, params }, run))
}

/** The runs of a job that was pruned. */
export function pastRunViews({ body }: PastJob, id: string, runs: readonly Run[]): readonly RunView[] {
  return runs.map((run) => runView({ id, templateId: body?.templateId ?? null, params: body?.params ?? null }, run))
}

function openRun({ job }: StoredJob): readonly AnyRun[] {
  if (job.state !== 'running') return []
  const { id: jobId, attempt, workerId, startedAt } = job
  const unknown = { status: null, reason: null, error: null, finishedAt: null, exitCode: null, logPath: null }
  return [{ jobId, attempt, workerId, startedAt, ...unknown, artifacts: [] }]
}

function runView({ id, templateId, params }: JobOfRun, run: AnyRun): RunView {
  const { startedAt, finishedAt } = run
  return {
    id: `${id}-run-${run.attempt}`,
    jobId: id,
    templateId,
    params: params === null ? null : (JSON.parse(params) as Json),
    attempt: run.attempt,
    status: run.status,
    reason: run.reason,
    error: run.error,
    workerId: run.workerId,
    startedAt: dateOf(startedAt),
    finishedAt: dateOf(finishedAt),
    durationMs: startedAt === null || finishedAt === null ? null : finishedAt - startedAt,
    exitCode: run.exitCode,
    artifacts: run.artifacts,
    logPath: run.logPath,
  }
}
