import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, onTestFinished } from 'vitest'
import { JobRunId } from '../../src/core/names/ids.ts'
import { JobName } from '../../src/core/names/job-name.ts'
import { type Clock, systemClock } from '../../src/engine/clock.ts'
import { Hub } from '../../src/engine/hub.ts'
import { idMaker } from '../../src/engine/ids.ts'
import { Metrics } from '../../src/engine/metrics.ts'
import { observed } from '../../src/engine/observed-store.ts'
import { openStore } from '../../src/engine/open-store.ts'
import { Tracing } from '../../src/engine/tracing.ts'
import type { CounterName, StandardSchema, Worker, WorkerOptions } from '../../src/index.ts'
import { Stint } from '../../src/index.ts'
import { openSqliteStoreHere } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type Database, fileOf, madeSqlite, newPostgres } from './fixture.ts'
import { lentStore } from './kept-stores.ts'

export interface OpenOptions {
  /** Puts something between the engine and its store, to lose or delay what the store says. */
  readonly wrap?: (store: Store) => Store
  readonly tracing?: Tracing
  readonly random?: () => number
  readonly clock?: Clock
  readonly archiveDirectory?: string
  /** The store of a SQLite file has a thread of its own, as that of a program has. */
  readonly threaded?: boolean
}

/** Stint on a database of its own for one test. */
export interface StintFixture extends Omit<Database, 'open'> {
  readonly stint: Stint
  /** The store beneath it. */
  readonly store: Store
  /** Another Stint on the same database, as another process would have it. */
  open(options?: OpenOptions): Promise<Stint>
}

export type SetupStint = (options?: OpenOptions) => Promise<StintFixture>

function stintOn(make: () => Database | Promise<Database>): SetupStint {
  return async (options) => {
    const { place, raw } = await make()
    const open = (others?: OpenOptions) => openStint(place, others)
    const stint = await open(options)
    return { stint, store: stint.store, place, raw, open }
  }
}

async function openStint(place: Database['place'], options: OpenOptions = {}): Promise<Stint> {
  const { wrap = (store) => store, tracing = new Tracing(null), random = Math.random, clock = systemClock } = options
  const { archiveDirectory = null, threaded = false } = options
  const hub = new Hub()
  const store = observed(wrap(await (threaded ? openStore(place) : openHere(place))), hub, clock)
  const env = { store, clock, random, newId: idMaker(), hub, metrics: new Metrics(), archiveDirectory }
  const stint = new Stint(env, new JobRunId({ project: 'stint', name: 'x' }), JobName.root('default'), tracing)
  onTestFinished(() => stint.close())
  return stint
}

/** Starting a thread takes most of the time of a short test, and the store in a thread has tests of its own. */
function openHere(place: Database['place']): Promise<Store> {
  return place.url.startsWith('sqlite:') ? openSqliteStoreHere({ file: fileOf(place) }) : lentStore(place)
}

/** The same tests on a SQLite file and on a PostgreSQL schema. */
export function onBothStores(title: string, tests: (setup: SetupStint, kind: Store['kind']) => void): void {
  describe.each([
    ['SQLite', 'sqlite', stintOn(madeSqlite)],
    ['PostgreSQL', 'postgres', stintOn(() => newPostgres({ fresh: false }))],
  ] as const)(`${title} on %s`, (_, kind, setup) => tests(setup, kind))
}

/** For what does not depend on the store. */
export const setupStint: SetupStint = stintOn(madeSqlite)

/**
 * A worker that runs until the end of the test. It polls so rarely that a job which nobody was told of would make its test
 * run out of time: every test of the engine is a test of its wake-ups.
 */
export async function startWorker(stint: Stint, options: WorkerOptions): Promise<Worker> {
  const quick = { pollMs: 60_000, cancelGraceMs: 100, upkeepMs: 50, artifactsDirectory: temporaryDirectory() }
  const worker = stint.worker({ ...quick, ...options })
  onTestFinished(() => worker.stop({ graceMs: 0 }))
  await worker.start()
  return worker
}

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stint-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A promise that the test settles, with its ways to do it. */
export function gate<T = void>(): PromiseWithResolvers<T> {
  const made = Promise.withResolvers<T>()
  // Whoever opens it may never be awaited.
  made.promise.catch(() => {})
  return made
}

/** Resolves when the signal aborts, with its reason. */
export function whenAborted(signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) return Promise.resolve(signal.reason)
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }))
}

/** Asks again and again until the answer is as wanted. For what nobody is told of. */
export async function until<T>(ask: () => T | Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** What a counter says, over all labels that are not given. */
export function counted(stint: Stint, name: CounterName, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels)
  const samples = stint.metrics().filter((sample) => {
    return sample.name === name && wanted.every(([label, value]) => sample.labels[label] === value)
  })
  return samples.reduce((sum, { value }) => sum + value, 0)
}

/** A schema by hand: an object with a day, which becomes a Date. */
export const daySchema: StandardSchema<{ day: string }, { day: Date }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate(value) {
      const day = typeof value === 'object' && value !== null && 'day' in value ? value.day : undefined
      if (typeof day !== 'string') return { issues: [{ message: 'must be a text', path: ['day'] }] }
      const date = new Date(day)
      return Number.isNaN(date.getTime())
        ? { issues: [{ message: 'must be a date', path: [{ key: 'day' }] }] }
        : { value: { day: date } }
    },
  },
}
