import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { StintError } from '../../core/errors.ts'
import { digestOf } from '../digest.ts'
import { migrationsToRun } from '../migrations.ts'
import { readMigrations } from '../sql-files.ts'

const migrations = readMigrations(new URL('./migrations/', import.meta.url))

/** Versions before lose committed data when two connections meet at the reset of the write-ahead log. */
const oldestVersion = [3, 51, 3] as const

/** Opens a file that others may be making into a database at this moment: only one of them can. */
export function connect(file: string): Promise<DatabaseSync> {
  return whenFree(() => openConnection(file))
}

export function openConnection(file: string): DatabaseSync {
  // A locked file is waited for in `whenFree`, which does not block the thread.
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    checkVersion(db)
    // FULL: a commit that was answered is on the disk, also when the power fails.
    db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 10000')
    db.exec('pragma temp_store = memory; pragma cache_size = -65536; pragma trusted_schema = off')
    // SQLite has no word for it.
    db.function('digest_of', { deterministic: true }, (text) => digestOf(String(text)))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function checkVersion(db: DatabaseSync): void {
  const version = String(db.prepare('select sqlite_version() as version').get()?.['version'])
  const parts = version.split('.').map(Number)
  const place = oldestVersion.findIndex((part, i) => part !== parts[i])
  if (place === -1 || (parts[place] ?? 0) > (oldestVersion[place] ?? 0)) return
  const needed = oldestVersion.join('.')
  const message = `This Node has SQLite ${version}, which can corrupt a database: ${needed} or later is needed.`
  throw new StintError('unsupported_store', message, { version, needed })
}

const busyPatienceMs = 10_000

/** Begins a transaction that may write. */
export function begin(db: DatabaseSync): Promise<void> {
  return whenFree(() => db.exec('begin immediate'))
}

/** Does what fails while another process holds the file. Short waits with jitter share it evenly. */
export async function whenFree<T>(work: () => T): Promise<T> {
  const started = performance.now()
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() - started > busyPatienceMs) throw storeBusy()
    }
    await sleep(1 + Math.random() * 3)
  }
}

function storeBusy(): StintError {
  const message = `The database file was locked by another process for ${busyPatienceMs} ms; nothing was done.`
  return new StintError('store_busy', message, { waitedMs: busyPatienceMs })
}

function isBusy(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
  // Extended codes keep the plain one in their lowest byte; 5 is SQLITE_BUSY.
  return (code & 0xff) === 5
}

/** A row that must be the only one of its kind is there already; 19 is SQLITE_CONSTRAINT. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 19
}

/** Brings the schema up to date. Several processes may try at once: one works, the others find it done. */
export async function migrate(db: DatabaseSync): Promise<void> {
  await begin(db)
  try {
    db.exec(`create table if not exists migrations (
      version integer primary key, name text not null, checksum text not null, applied_at integer not null
    ) strict`)
    const applied = db.prepare('select version, checksum from migrations order by version').all()
    const record = db.prepare('insert into migrations (version, name, checksum, applied_at) values (?, ?, ?, ?)')
    const known = applied.map((row) => ({ version: Number(row['version']), checksum: String(row['checksum']) }))
    for (const { version, name, checksum, sql } of migrationsToRun(migrations, known)) {
      db.exec(sql)
      record.run(version, name, checksum, Date.now())
    }
    db.exec('commit')
  } catch (error) {
    db.exec('rollback')
    throw error
  }
}
