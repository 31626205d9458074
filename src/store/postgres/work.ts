import type { ClientBase } from 'pg'
import { StintError } from '../../core/errors.ts'
import { isStorable, isUuid } from '../check-input.ts'
import { checkReport, type LogsParams, lostShownMs, type OverdueParams } from '../check-work.ts'
import { pathOver } from '../gates.ts'
import { type LimitColumns, limitOfRow, shownLimits, type WaitingColumns } from '../limit-row.ts'
import { type PastJob, type PastRow, pastOfRow } from '../retention/pasts.ts'
import type {
  HeldAttempt,
  JobRef,
  LimitRow,
  LogLine,
  Notes,
  OrphansPage,
  OverduePage,
  PastRef,
  QueueRequest,
  Report,
  ShutGate,
  StoredJob,
  WorkerRow,
} from '../store.ts'
import { type WorkerColumns, workerOfRow } from '../worker-row.ts'
import { columns } from './columns.ts'
import { jobsById, jobsByKey } from './load-jobs.ts'
import type { Statements } from './statements.ts'

/** What workers and upkeep ask for, each one statement or a read at one instant. */

export async function find(
  client: ClientBase,
  sql: Statements,
  refs: readonly JobRef[],
): Promise<readonly (StoredJob | null)[]> {
  const ids = refs.flatMap((ref) => ('id' in ref && isUuid(ref.id) ? [ref.id] : []))
  const names = refs.flatMap((ref) => ('name' in ref && isStorable(ref.name) ? [ref.name] : []))
  const keys = refs.flatMap((ref) => ('key' in ref && isKey(ref) ? [ref] : []))
  const found = new Map<string, StoredJob>()
  for (const stored of await jobsById(client, sql, ids)) found.set(`id ${stored.job.id}`, stored)
  for (const stored of await jobsOf(client, sql, names.length === 0 ? [] : await holdersOfNames(client, sql, names))) {
    found.set(`name ${stored.job.name}`, stored)
  }
  for (const stored of await jobsOf(client, sql, keys.length === 0 ? [] : await holdersOfKeys(client, sql, keys))) {
    const { job, guard } = stored
    found.set(`key ${guard.namespace} ${job.type} ${job.key}`, stored)
  }
  return refs.map((ref) => found.get(handleOf(ref)) ?? null)
}

type KeyRef = Extract<JobRef, { key: string }>

function isKey({ namespace, type, key }: KeyRef): boolean {
  return [namespace, type, key].every(isStorable)
}

function handleOf(ref: JobRef): string {
  if ('id' in ref) return `id ${ref.id}`
  return 'name' in ref ? `name ${ref.name}` : `key ${ref.namespace} ${ref.type} ${ref.key}`
}

function holdersOfNames(client: ClientBase, sql: Statements, names: readonly string[]) {
  return sql.run<{ pk: number }>(client, 'jobKeysByNames', { names })
}

function holdersOfKeys(client: ClientBase, sql: Statements, keys: readonly KeyRef[]) {
  return sql.run<{ pk: number }>(client, 'holderKeys', {
    ids: [],
    names: [],
    namespaces: keys.map(({ namespace }) => namespace),
    types: keys.map(({ type }) => type),
    keys: keys.map(({ key }) => key),
  })
}

function jobsOf(client: ClientBase, sql: Statements, holders: readonly { pk: number }[]) {
  return jobsByKey(
    client,
    sql,
    holders.map(({ pk }) => pk),
  )
}

export async function buryLost(client: ClientBase, sql: Statements, now: number): Promise<readonly string[]> {
  await sql.run(client, 'forgetLost', { before: now - lostShownMs })
  const ids = (await sql.run<{ id: string }>(client, 'lockLost', { now })).map(({ id }) => id)
  if (ids.length > 0) await sql.run(client, 'buryLost', { now, ids })
  return ids
}

export async function workers(client: ClientBase, sql: Statements): Promise<readonly WorkerRow[]> {
  return (await sql.run<WorkerColumns>(client, 'allWorkers')).map(workerOfRow)
}

export async function held(client: ClientBase, sql: Statements, workerId: string): Promise<readonly HeldAttempt[]> {
  type Row = { id: string; token: string; cancel_asked: number }
  const rows = await sql.run<Row>(client, 'heldBy', { worker_id: workerId })
  return rows.map(({ id, token, cancel_asked }) => ({ jobId: id, token, cancelAsked: cancel_asked === 1 }))
}

export async function orphans(
  client: ClientBase,
  sql: Statements,
  { after, limit }: { after: number; limit: number },
): Promise<OrphansPage> {
  type Row = { job: number; id: string; token: string; lost_with: number | null }
  const rows = await sql.run<Row>(client, 'orphans', { after, limit })
  // Of a worker that was never found lost nobody counted what it held, so nobody can be blamed.
  const attempts = rows.map(({ id, token, lost_with }) => ({ jobId: id, token, alone: lost_with === 1 }))
  return { attempts, next: rows.length < limit ? null : (rows.at(-1)?.job ?? null) }
}

export async function overdue(client: ClientBase, sql: Statements, params: OverdueParams): Promise<OverduePage> {
  type Row = { at: number; job: number; id: string }
  const rows = await sql.run<Row>(client, 'overdueJobs', { ...params })
  const last = rows.at(-1)
  const next = last === undefined || rows.length < params.limit ? null : { at: last.at, job: last.job }
  return { jobIds: rows.map(({ id }) => id), next }
}

export async function report(
  client: ClientBase,
  sql: Statements,
  reports: readonly Report[],
  now: number | null,
): Promise<readonly boolean[]> {
  const checked = reports.map(checkReport)
  const valid = checked.filter((each): each is Report => !(each instanceof StintError))
  const told = valid.map(({ jobId, token, progress, checkpoint }) => ({
    id: jobId,
    token,
    done: progress?.done ?? null,
    total: progress?.total ?? null,
    checkpoint: checkpoint ?? null,
  }))
  const lines = valid.flatMap((each, i) => (each.lines ?? []).map((line) => ({ nth: i + 1, ...line })))
  const rows = await sql.run<{ nth: number }>(client, 'report', {
    ...columns('', ['id', 'token', 'done', 'total', 'checkpoint'], told),
    ...columns('line_', ['nth', 'seq', 'at', 'line'], lines),
    now,
  })
  const accepted = new Set(rows.map(({ nth }) => valid[nth - 1]))
  return checked.map((each) => !(each instanceof StintError) && accepted.has(each))
}

export async function notes(client: ClientBase, sql: Statements, id: string): Promise<Notes> {
  if (!isUuid(id)) return { progress: null, checkpoint: null }
  const [progress] = await sql.run<{ done: number; total: number | null }>(client, 'progressOf', { id })
  const [checkpoint] = await sql.run<{ value: string }>(client, 'checkpointOf', { id })
  return { progress: progress ?? null, checkpoint: checkpoint?.value ?? null }
}

export async function logLines(client: ClientBase, sql: Statements, params: LogsParams): Promise<readonly LogLine[]> {
  const { id, ...page } = params
  const job = await anyKeyOf(client, sql, id)
  return job === null ? [] : await sql.run<LogLine>(client, 'logLines', { ...page, job })
}

/** The row key of a job, or of one that was pruned. */
export async function anyKeyOf(client: ClientBase, sql: Statements, id: string): Promise<number | null> {
  const [row] = isUuid(id) ? await sql.run<{ pk: number | null }>(client, 'anyKeyOfId', { id }) : []
  return row?.pk ?? null
}

export async function past(
  client: ClientBase,
  sql: Statements,
  refs: readonly PastRef[],
): Promise<readonly (PastJob | null)[]> {
  const keys = await sql.run<{ pk: number | null }>(client, 'pastKeys', {
    ids: refs.map((ref) => ('id' in ref && isUuid(ref.id) ? ref.id : null)),
    names: refs.map((ref) => ('name' in ref && isStorable(ref.name) ? ref.name : null)),
  })
  const rows = await sql.run<PastRow>(client, 'pastJobsByKey', { pks: keys.flatMap(({ pk }) => pk ?? []) })
  const found = new Map(rows.map((row) => [row.pk, pastOfRow(row)]))
  return keys.map(({ pk }) => found.get(pk ?? 0) ?? null)
}

const holdersShown = 3

export async function limits(client: ClientBase, sql: Statements): Promise<readonly LimitRow[]> {
  const rows = await sql.run<LimitColumns>(client, 'limitStates', { ids: null })
  return shownLimits(rows, await sql.run<WaitingColumns>(client, 'waitingAt'))
}

interface GateRow {
  readonly job_id: string
  readonly name: string
  readonly gate: number | null
  readonly type: string
  readonly reason: string | null
  readonly type_paused: boolean
}

/** What keeps queued jobs from being claimed, as it stands now. */
export async function gatesOf(
  client: ClientBase,
  sql: Statements,
  jobIds: readonly string[],
): Promise<readonly (ShutGate | null)[]> {
  const rows = await sql.run<GateRow>(client, 'gatesOfJobs', { ids: jobIds.filter(isUuid) })
  const pauses = await sql.run<{ path: string; reason: string | null }>(client, 'pausedPaths')
  const gates = rows.flatMap(({ gate }) => (gate !== null && gate > 0 ? [gate] : []))
  const states = gates.length === 0 ? [] : await sql.run<LimitColumns>(client, 'limitStates', { ids: gates })
  const shut = new Map<number, ShutGate>()
  for (const row of states) {
    const holders = await sql.run<{ name: string }>(client, 'holdersOf', { id: row.id, limit: holdersShown })
    const { key, concurrency, rate, held } = limitOfRow(row)
    const limit = { key, concurrency, rate }
    shut.set(row.id, { kind: 'limit', limit, holders: holders.map(({ name }) => name), held })
  }
  const found = new Map(rows.map((row) => [row.job_id, row]))
  return jobIds.map((id) => {
    const row = found.get(id)
    if (row === undefined) return null
    if (row.type_paused) return { kind: 'paused', path: null, type: row.type, reason: row.reason }
    const paused = pathOver(pauses, row.name)
    if (paused !== null) return { kind: 'paused', path: paused.path, type: null, reason: paused.reason }
    return shut.get(row.gate ?? 0) ?? null
  })
}

/** Ready jobs in the order in which workers get them. */
export async function queue(
  client: ClientBase,
  sql: Statements,
  { types, limit }: QueueRequest,
): Promise<readonly StoredJob[]> {
  const keys = await sql.run<{ pk: number }>(client, 'queueKeys', { types: types ?? null, limit })
  const jobs = await jobsOf(client, sql, keys)
  const found = new Map(jobs.map((stored) => [stored.guard.pk, stored]))
  return keys.flatMap(({ pk }) => found.get(pk) ?? [])
}
