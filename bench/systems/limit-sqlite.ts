/**
 * The limit on SQLite: the rows that Stint writes for a job, by a bare loop of prepared statements on one connection, a
 * commit for each batch. Nothing is decided, nothing can be lost to somebody else, nothing is tried again.
 */
import { DatabaseSync } from 'node:sqlite'
import type { Handler, Open } from '../harness/system.ts'
import { batchSize, makeSchema, type NewRow, newId, newRow, type, verifyRows } from './limit.ts'

export const open: Open = async (url) => {
  await makeSchema(url)
  const db = new DatabaseSync(url.slice('sqlite:'.length))
  // As Stint has it.
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 10000')
  db.exec('pragma temp_store = memory; pragma cache_size = -65536')
  const rows = rowsOf(db)
  let working: Promise<unknown> = Promise.resolve()
  return {
    submitMany(jobs) {
      for (let i = 0; i < jobs.length; i += batchSize) rows.insert(jobs.slice(i, i + batchSize).map(newRow))
    },
    submit: (params) => rows.insert([newRow({ params })]),
    start(handler) {
      working = drain(rows, handler)
    },
    async unrecorded() {
      await working
      return 0
    },
    stop: () => Promise.resolve(),
    close: () => db.close(),
    verify: () => verifyRows(url),
  }
}

/** Takes a batch, runs it, and records its end in one commit with the next claim, until there is nothing left. */
async function drain(rows: ReturnType<typeof rowsOf>, handler: Handler): Promise<void> {
  const workerId = newId()
  let batch = rows.step(workerId, null)
  while (batch.claimed.length > 0) {
    for (const { params } of batch.claimed) await handler(JSON.parse(params))
    batch = rows.step(workerId, batch)
  }
}

interface Claimed {
  readonly job: number
  readonly id: string
  readonly name: string
  readonly params: string
}

interface Batch {
  readonly token: string
  readonly startedAt: number
  readonly claimed: readonly Claimed[]
}

function rowsOf(db: DatabaseSync) {
  db.prepare('insert into types (name) values (?) on conflict do nothing').run(type)
  const typeId = Number(db.prepare('select id from types where name = ?').get(type)?.['id'])
  const lane = 2 * typeId

  const reserveKeys = db.prepare('update counters set last_pk = last_pk + ? where id = 1 returning last_pk')
  const insertJob = db.prepare(`
    insert into jobs (
      pk, id, name, params, params_digest, position, type, scheduled_for, created_at, queued_at, updated_at, namespace,
      revision, released, version, state, phase, priority, attempt, charged, cancelled
    ) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?8, ?8, 'default', 1, 0, 1, 0, 1, 0, 0, 0, 0)`)
  const insertName = db.prepare('insert into names (name, job) values (?, ?)')
  const insertReady = db.prepare(`
    insert into ready (lane, priority, position, job, revision, namespace) values (?, 0, ?, ?, 1, 'default')`)
  const insertEvent = db.prepare(`
    insert into events (job, version, code, occurred_at, received_at, namespace, attributes)
    values (?1, 1, 1, ?2, ?2, 'default', ?3)`)
  /** A claim or a run leads to it. */
  const insertLedEvent = db.prepare(`
    insert into events (job, version, code, occurred_at, received_at, namespace, actor, execution_id, attributes, led_to)
    values (?1, ?2, ?3, ?4, ?4, 'default', ?5, ?6, ?7, 1)`)
  const firstReady = db.prepare(`
    select ready.position, ready.job, jobs.id, jobs.name, jobs.params
    from ready cross join jobs on jobs.pk = ready.job
    where lane = ? order by ready.priority desc, ready.position, ready.job limit ${batchSize}`)
  const removeReady = db.prepare('delete from ready where lane = ? and priority = 0 and position = ? and job = ?')
  const insertClaim = db.prepare(
    'insert into claims (job, revision, started_at, token, worker_id, start_row) values (?, 2, ?, ?, ?, ?)',
  )
  const removeClaim = db.prepare('delete from claims where job = ? returning start_row')
  const removeName = db.prepare('delete from names where name = ? and job = ?')
  const insertRun = db.prepare(`
    insert into runs (job, attempt, status, worker_id, started_at, finished_at, ends, token, start_row, end_row)
    values (?, 1, 0, ?, ?, ?, 1, ?, ?, ?)`)

  const transaction = <T>(work: (now: number) => T): T => {
    db.exec('begin immediate')
    const result = work(Date.now())
    db.exec('commit')
    return result
  }

  /** The seat goes, a claim and an event come. */
  const claim = (workerId: string, now: number): Batch => {
    const token = newId()
    const attributes = `{"attempt":1,"token":"${token}","workerId":"${workerId}","attemptDeadlineAt":null}`
    const claimed = firstReady.all(lane) as unknown as readonly (Claimed & { position: number })[]
    for (const { position, job } of claimed) {
      removeReady.run(lane, position, job)
      const started = insertLedEvent.run(job, 2, 4, now, `worker ${workerId}`, null, attributes)
      insertClaim.run(job, now, token, workerId, started.lastInsertRowid)
    }
    return { token, startedAt: now, claimed }
  }

  /** The claim and the name go, a run and an event come. */
  const complete = (workerId: string, { token, startedAt, claimed }: Batch, now: number): void => {
    for (const { job, id, name } of claimed) {
      const startRow = Number(removeClaim.get(job)?.['start_row'])
      removeName.run(name, job)
      const run = `stint::default:${id}-run-1`
      const ended = insertLedEvent.run(job, 3, 6, now, `worker ${workerId}`, run, '{"attempt":1,"resultDigest":null}')
      insertRun.run(job, workerId, startedAt, now, token, startRow, ended.lastInsertRowid)
    }
  }

  return {
    /** One name, one job row, one seat and one event for each. */
    insert: (jobs: readonly NewRow[]) =>
      transaction((now) => {
        let pk = Number(reserveKeys.get(jobs.length)?.['last_pk']) - jobs.length
        for (const { id, name, params, digest } of jobs) {
          pk += 1
          const position = pk * 100
          insertName.run(name, pk)
          insertJob.run(pk, id, name, params, digest, position, typeId, now)
          insertReady.run(lane, position, pk)
          const attributes = `{"name":"${name}","type":"${type}","paramsDigest":"${digest}"}`
          insertEvent.run(pk, now, attributes)
        }
      }),
    step: (workerId: string, ended: Batch | null): Batch =>
      transaction((now) => {
        if (ended !== null) complete(workerId, ended, now)
        return claim(workerId, now)
      }),
  }
}
