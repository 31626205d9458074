import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { createStint } from '../../../src/engine/create-stint.ts'
import type { Stint } from '../../../src/engine/stint.ts'
import { type Program, RunningProgram } from '../processes/run-program.ts'
import type { StintOrders } from '../processes/stint-of.ts'

/** A database of its own with real processes that use it, and the test's own Stint beside them. */
export interface Place {
  readonly stint: Stint
  /** Starts a program on this database. */
  start(program: Program, orders?: Partial<StintOrders>): RunningProgram
  /** Starts a worker and waits until it has renewed its lease: before, a busy machine may make it lose its first one. */
  startWorker(orders?: Partial<StintOrders>): Promise<RunningProgram>
  /** Whether somebody keeps the database from being written to: a process that was suspended within a transaction does. */
  isLocked(): boolean
  /** The attempts that handlers began, each as `job attempt`. */
  executions(): readonly string[]
}

export type MakePlace = () => Promise<Place>

const defaults = { leaseMs: 2_000, concurrency: 10, graceMs: 5_000, lanes: 3, pauseMs: 0 } as const

export function sqlitePlace(): Promise<Place> {
  const directory = makeDirectory()
  const file = join(directory, 'stint.db')
  return placeAt(directory, { url: `sqlite:${file}` }, () => isLocked(file))
}

function isLocked(file: string): boolean {
  const db = new DatabaseSync(file, { timeout: 250 })
  try {
    db.exec('begin immediate; rollback')
    return false
  } catch {
    return true
  } finally {
    db.close()
  }
}

/** On the server that all tests share, or another one. */
export function postgresPlace(url: string = inject('postgresUrl')): Promise<Place> {
  const directory = makeDirectory()
  const schema = `t_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  onTestFinished(async () => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(`drop schema if exists ${schema} cascade`)
    await client.end()
  })
  return placeAt(directory, { url, schema }, () => false)
}

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stint-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }))
  return directory
}

async function firstBeat(stint: Stint, workerId: string): Promise<void> {
  for (;;) {
    const { items } = await stint.workers.list()
    const row = items.find(({ id }) => id === workerId)
    // One that was lost all the same lives on under another id, and is no longer slow.
    if (row === undefined || row.lostAt !== null || row.seenAt > row.startedAt) return
    await sleep(20)
  }
}

async function placeAt(
  directory: string,
  database: Pick<StintOrders, 'url' | 'schema'>,
  isLocked: () => boolean,
): Promise<Place> {
  const journal = join(directory, 'journal')
  writeFileSync(journal, '')
  const stint = await createStint(database)
  onTestFinished(() => stint.close())
  const orders = { ...defaults, ...database, journal, artifactsDirectory: join(directory, 'artifacts') }
  const start: Place['start'] = (program, given = {}) => new RunningProgram(program, { ...orders, ...given })
  return {
    stint,
    start,
    isLocked,
    startWorker: async (given) => {
      const worker = start('work-with-stint', given)
      await firstBeat(stint, await worker.heardLine('ready '))
      return worker
    },
    executions: () => readFileSync(journal, 'utf8').split('\n').slice(0, -1),
  }
}
