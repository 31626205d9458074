import type { Run } from '../core/job/job.ts'
import { jsonOrNull, memberAt, outcomes } from './encoding.ts'

export interface RunRow {
  readonly job: number
  readonly attempt: number
  readonly status: number
  readonly reason: string | null
  readonly error: string | null
  readonly worker_id: string | null
  readonly started_at: number | null
  readonly finished_at: number
  readonly exit_code: number | null
  readonly artifacts: string | null
  readonly log_path: string | null
}

export function runRow(pk: number, run: Run): RunRow {
  return {
    job: pk,
    attempt: run.attempt,
    status: outcomes.indexOf(run.status),
    reason: run.reason,
    error: run.error,
    worker_id: run.workerId,
    started_at: run.startedAt,
    finished_at: run.finishedAt,
    exit_code: run.exitCode,
    artifacts: jsonOrNull(run.artifacts),
    log_path: run.logPath,
  }
}

export function runOfRow(jobId: string, row: RunRow): Run {
  return {
    jobId,
    attempt: row.attempt,
    status: memberAt(outcomes, row.status),
    reason: row.reason,
    error: row.error,
    workerId: row.worker_id,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    exitCode: row.exit_code,
    artifacts: row.artifacts === null ? [] : JSON.parse(row.artifacts),
    logPath: row.log_path,
  }
}
