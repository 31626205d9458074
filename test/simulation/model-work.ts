import { StintError } from '../../src/core/errors.ts'
import { elapsesAt } from '../../src/core/job/job.ts'
import {
  checkReport,
  type LogsParams,
  listParams,
  lostShownMs,
  type OverdueParams,
  workerTaken,
} from '../../src/store/check-work.ts'
import { outcomes } from '../../src/store/encoding.ts'
import type {
  HeldAttempt,
  ListPage,
  ListRequest,
  LogLine,
  NewWorker,
  Notes,
  OrphansPage,
  OverduePage,
  Report,
  StoredJob,
  WorkerRow,
} from '../../src/store/store.ts'
import type { ModelData } from './model-data.ts'
import { anyKeyOf } from './model-reads.ts'

/** What workers, upkeep and readers ask of the model, said plainly: look at all there is. */

export function register(data: ModelData, { id, name, leaseMs, types, paths }: Required<NewWorker>, now: number): void {
  const known = data.workers.get(id) ?? { id, name, startedAt: now, lostAt: null, lostWith: null, types, paths }
  if (known.lostAt !== null || known.name !== name) throw workerTaken(id)
  data.workers.set(id, { ...known, seenAt: now, leaseUntil: now + leaseMs })
}

export function renew(data: ModelData, { id, leaseMs }: Pick<NewWorker, 'id' | 'leaseMs'>, now: number): boolean {
  const worker = data.workers.get(id)
  if (worker === undefined || worker.lostAt !== null) return false
  data.workers.set(id, { ...worker, seenAt: now, leaseUntil: now + leaseMs })
  return true
}

export function retire(data: ModelData, workerId: string): void {
  const isLost = (data.workers.get(workerId)?.lostAt ?? null) !== null
  if (!isLost && claimsOf(data, workerId).length === 0) data.workers.delete(workerId)
}

export function buryLost(data: ModelData, now: number): readonly string[] {
  for (const { id, lostAt } of data.workers.values()) {
    if (lostAt !== null && lostAt < now - lostShownMs && claimsOf(data, id).length === 0) data.workers.delete(id)
  }
  const lost = data.workers.values().filter(({ lostAt, leaseUntil }) => lostAt === null && leaseUntil < now)
  for (const worker of lost) {
    data.workers.set(worker.id, { ...worker, lostAt: now, lostWith: claimsOf(data, worker.id).length })
  }
  return lost.map(({ id }) => id).sort()
}

export function workers(data: ModelData): readonly WorkerRow[] {
  const rows = data.workers.values().map(({ lostWith: _, ...row }) => row)
  return rows.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? -1 : 1))
}

export function held(data: ModelData, workerId: string): readonly HeldAttempt[] {
  return claimsOf(data, workerId).map(({ job }) => {
    return { jobId: job.id, token: job.token ?? '', cancelAsked: job.cancelReason !== null }
  })
}

export function orphans(data: ModelData, { after, limit }: { after: number; limit: number }): OrphansPage {
  const found = claims(data).filter(({ job, guard }) => {
    const worker = data.workers.get(job.workerId ?? '')
    return guard.pk > after && (worker === undefined || worker.lostAt !== null)
  })
  const page = found.slice(0, limit)
  const attempts = page.map(({ job }) => {
    const lostWith = data.workers.get(job.workerId ?? '')?.lostWith ?? null
    return { jobId: job.id, token: job.token ?? '', alone: lostWith === 1 }
  })
  return { attempts, next: page.length < limit ? null : (page.at(-1)?.guard.pk ?? null) }
}

function claims(data: ModelData): readonly StoredJob[] {
  const running = data.jobs.values().filter(({ job }) => job.phase === 'running')
  return running.sort((a, b) => a.guard.pk - b.guard.pk)
}

function claimsOf(data: ModelData, workerId: string): readonly StoredJob[] {
  return claims(data).filter(({ job }) => job.workerId === workerId)
}

export function overdue(data: ModelData, params: OverdueParams, now: number): OverduePage {
  const { after_at: afterAt, after_job: afterJob, limit } = params
  const due = data.jobs.values().flatMap(({ job, guard }) => {
    const at = elapsesAt(job)
    const isDue = at !== null && at <= now && (at > afterAt || (at === afterAt && guard.pk > afterJob))
    return isDue ? [{ at, job: guard.pk, id: job.id }] : []
  })
  const page = due.sort((a, b) => a.at - b.at || a.job - b.job).slice(0, limit)
  const last = page.at(-1)
  const next = last === undefined || page.length < limit ? null : { at: last.at, job: last.job }
  return { jobIds: page.map(({ id }) => id), next }
}

export function report(data: ModelData, reports: readonly Report[]): readonly boolean[] {
  return reports.map((given) => {
    const checked = checkReport(given)
    return !(checked instanceof StintError) && reportOne(data, checked)
  })
}

function reportOne(data: ModelData, { jobId, token, progress, checkpoint, lines = [] }: Report): boolean {
  const pk = data.ids.get(jobId) ?? 0
  const job = data.jobs.get(pk)?.job
  if (job?.phase !== 'running' || job.token !== token) return false
  if (progress !== undefined) data.progress.set(pk, progress)
  if (checkpoint !== undefined) data.checkpoints.set(pk, checkpoint)
  for (const line of lines) {
    const key = `${pk} ${job.attempt} ${line.seq}`
    if (!data.lines.has(key)) data.lines.set(key, { pk, attempt: job.attempt, ...line })
  }
  return true
}

export function notes(data: ModelData, jobId: string): Notes {
  const pk = data.ids.get(jobId) ?? 0
  return { progress: data.progress.get(pk) ?? null, checkpoint: data.checkpoints.get(pk) ?? null }
}

export function logs(data: ModelData, { id, attempt, after, limit }: LogsParams): readonly LogLine[] {
  const wanted = anyKeyOf(data, id) ?? 0
  const lines = data.lines.values().filter((line) => {
    return line.pk === wanted && line.attempt === attempt && line.seq > after
  })
  const page = lines.sort((a, b) => a.seq - b.seq).slice(0, limit)
  return page.map(({ seq, at, line }) => ({ seq, at, line }))
}

export function list(data: ModelData, request: ListRequest): ListPage {
  const { before, limit, type, status, outcome, cancelled, branch, key, tasks, ...label } = listParams(request)
  const matching = data.jobs.values().filter(({ job, guard }) => {
    if (guard.pk >= before || (type !== null && job.type !== type)) return false
    if (status !== null && status !== statusOf(job.state)) return false
    if (outcome !== null && job.outcome !== outcomes[outcome]) return false
    if (cancelled !== null && job.cancelled !== (cancelled === 1)) return false
    if (branch !== null && job.name !== branch && !job.name.startsWith(`${branch}/`)) return false
    if (label.label_name !== null && job.labels[label.label_name] !== label.label_value) return false
    if (tasks === 0 && job.task !== null) return false
    return key === null || job.key === key
  })
  const jobs = matching.sort((a, b) => b.guard.pk - a.guard.pk).slice(0, limit)
  return { jobs, next: jobs.length < limit ? null : (jobs.at(-1)?.guard.pk ?? null) }
}

function statusOf(state: StoredJob['job']['state']): string {
  return state === 'final' || state === 'running' ? state : 'queued'
}
