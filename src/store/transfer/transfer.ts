import { StintError } from '../../core/errors.ts'
import { replay } from '../../core/job/evolve.ts'
import type { Job } from '../../core/job/job.ts'
import type { Difference } from '../difference.ts'
import { outsideEvent } from '../event-row.ts'
import { specRow, stateRow } from '../job-row.ts'
import { openPostgresStore } from '../postgres/postgres-store.ts'
import { recordKinds } from '../records.ts'
import { openSqliteStore } from '../sqlite/threaded-store.ts'
import type { AuditedJob, Store } from '../store.ts'
import { verify } from '../verify.ts'
import { compareStores } from './compare.ts'
import { type Row, Source } from './source.ts'
import { Target } from './target.ts'

export interface TransferOptions {
  /** The SQLite file. */
  readonly file: string
  /** The PostgreSQL database, and the schema in it. */
  readonly url: string
  readonly schema: string
  /** Looks at both sides, and moves nothing. */
  readonly dryRun: boolean
  readonly onStep: (step: string) => void
}

export interface TransferReport {
  readonly jobs: number
  /** How many rows of each other table were moved. */
  readonly rows: Readonly<Record<string, number>>
}

/** Made anew in the target: what is derived, what belongs to the store itself, and how far retention has walked. */
const ownTables = new Set(['jobs', 'migrations', 'settings', 'walks', 'stretches'])

/** Jobs come with all their events, and params may be large. */
const jobsPageSize = 100
const pageSize = 1_000

/**
 * Moves an SQLite store to an empty PostgreSQL schema. The log is moved as it is, entry by entry, and jobs are derived from it
 * anew; what the log does not tell is copied. All of it is one transaction of the target, and nobody can write to the source
 * meanwhile; both sides are verified, and compared in the end. The source stays as it was.
 */
export async function transfer(options: TransferOptions): Promise<TransferReport> {
  const { file, url, schema, dryRun, onStep } = options
  const from = await openSqliteStore({ file })
  try {
    await requireQuiet(from)
    onStep('verifying the source')
    requireNone(await verify(from), 'The source is not what its log says; nothing was moved.')
    const to = await openPostgresStore({ url, schema })
    try {
      const report = await move(from, options)
      if (dryRun) return report
      onStep('verifying the target')
      requireNone(await verify(to), 'The target is not what its log says.')
      onStep('comparing both')
      requireNone(await compareStores(from, to), 'The target is not what the source is.')
      return report
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

async function move(from: Store, { file, url, schema, dryRun, onStep }: TransferOptions): Promise<TransferReport> {
  const source = await Source.open(file)
  try {
    const target = await Target.open(url, schema)
    try {
      if (!(await target.isEmpty())) throw notEmpty(schema)
      if (dryRun) return { jobs: 0, rows: {} }
      onStep('deriving jobs from their events')
      const jobs = await moveJobs(from, source, target)
      const last = source.lastKeys()
      const position = positions(last.logId, await target.endedTransaction())
      const rows = await moveTables(source, target, { position, onStep })
      await target.continueKeys(last)
      await target.commit()
      return { jobs, rows }
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}

/** A worker that lives would go on with the source, and what it does would be lost. */
async function requireQuiet(from: Store): Promise<void> {
  const now = await from.now()
  const alive = (await from.workers()).filter(({ lostAt, leaseUntil }) => lostAt === null && leaseUntil > now)
  if (alive.length === 0) return
  const names = [...new Set(alive.map(({ name }) => name))].join(', ')
  throw new StintError('conflict', `Somebody works with the source (${names}): stop that first, then try again.`, {
    workers: alive.length,
  })
}

function requireNone(differences: readonly Difference[], message: string): void {
  const [first] = differences
  if (first === undefined) return
  const told = `${message} ${differences.length} differences, the first: ${first.field} of job ${first.jobId}.`
  throw new StintError('internal_error', told, {
    differences: differences.length,
    field: first.field,
    jobId: first.jobId,
  })
}

function notEmpty(schema: string): StintError {
  const message = `The schema ${schema} of the target has jobs or other things already; choose an empty one.`
  return new StintError('conflict', message, { schema })
}

/** Writes the jobs as their events give them: nothing of their rows in the source is taken over but keys and texts. */
async function moveJobs(from: Store, source: Source, target: Target): Promise<number> {
  let [count, after] = [0, null as number | null]
  do {
    const { jobs, next } = await from.audit({ after, limit: jobsPageSize })
    if (jobs.length > 0) {
      const pks = jobs.map(({ stored }) => stored.guard.pk)
      const origins = source.origins(Math.min(...pks), Math.max(...pks))
      const rows = jobs.map((job) => derivedRow(job, origins))
      await target.insert('jobs', Object.keys(rows[0] ?? {}), rows)
    }
    count += jobs.length
    after = next
  } while (after !== null)
  return count
}

function derivedRow({ stored, own, outside }: AuditedJob, origins: ReturnType<Source['origins']>): Row {
  const job = replay(own, outside.map(outsideEvent)) as Job
  const origin = origins.get(stored.guard.pk)
  const parent = origin?.parent == null ? null : { pk: origin.parent, attempt: origin.attempt ?? 0 }
  const derived = { ...stored, job }
  return { ...specRow(derived, origin?.type ?? 0, parent), ...stateRow(derived) } as unknown as Row
}

/**
 * The transaction that an entry of the log gets. Readers of the target follow (transaction, log id): all are older than any
 * that is still to come, so what is written later comes after them; and they are spread in order, because an index on which
 * all have the same number tells the planner nothing.
 */
function positions(lastLogId: number, newest: number): (logId: number) => number {
  return (logId) => Math.floor((Math.max(0, logId - 1) / Math.max(1, lastLogId)) * newest)
}

interface Moving {
  readonly position: (logId: number) => number
  readonly onStep: (step: string) => void
}

async function moveTables(source: Source, target: Target, moving: Moving): Promise<Record<string, number>> {
  const moved: Record<string, number> = {}
  for (const [table, columns] of await target.columns()) {
    const known = new Set(source.columns(table))
    if (ownTables.has(table) || known.size === 0) continue
    moving.onStep(`moving ${table}`)
    const shared = columns.filter((column) => known.has(column))
    const more = table === 'events' ? ['tx'] : []
    for (const page of source.pages(table, shared, pageSize)) {
      const rows = page.map((row) => adapted(table, row, moving))
      await target.insert(table, [...shared, ...more], rows)
      moved[table] = (moved[table] ?? 0) + page.length
    }
  }
  return moved
}

/** What means something else in the target is said in its words. */
function adapted(table: string, row: Row, { position }: Moving): Row {
  if (table === 'events') return { ...row, tx: position(Number(row['log_id'])) }
  // The index of the target leads to all entries of the log.
  if (table === 'claims') return { ...row, start_row: null }
  // A run that is the end of its job's row stands beside it now: the row was derived with its end.
  if (table === 'runs')
    return { ...row, ends: 0, token: null, result_digest: null, result: null, start_row: null, end_row: null }
  if (table !== 'records' || row['kind'] !== recordKinds.webhook) return row
  // How far a webhook has been told of the log.
  const body = JSON.parse(String(row['body'])) as { readonly cursor: string }
  return { ...row, body: JSON.stringify({ ...body, cursor: `${position(Number(body.cursor))}.${body.cursor}` }) }
}
