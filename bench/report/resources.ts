import type { StoreKind } from '../harness/contestants.ts'
import { type Conditions, conditionLines } from './conditions.ts'
import { type Check, checkTable, megabytes, milliseconds, rounded, table } from './table.ts'

/** Resident memory of a worker process, before it has work and when so many handlers run. */
export interface MemoryResult {
  readonly system: string
  readonly store: StoreKind
  readonly inFlight: number
  readonly beforeBytes: number
  readonly bytes: number
}

/** Bytes a job: of the write-ahead log on PostgreSQL, of all files on SQLite. */
export interface WrittenResult {
  readonly system: string
  readonly store: StoreKind
  readonly submitBytes: number
  readonly drainBytes: number
  /** What a finished job takes up, with its indexes. */
  readonly storedBytes: number
  readonly loopDelayP99Ms: number
  readonly loopDelayMaxMs: number
}

export interface ResourcesDocument {
  readonly conditions: Conditions
  readonly memory: readonly MemoryResult[]
  readonly written: readonly WrittenResult[]
}

export function showResources({ conditions, memory, written }: ResourcesDocument): string {
  return [
    ...conditionLines(conditions),
    '',
    table(
      ['system', 'store', 'jobs in flight', 'resident before MB', 'resident MB'],
      memory.map(({ system, store, inFlight, beforeBytes, bytes }) => [
        system,
        store,
        rounded(inFlight),
        megabytes(beforeBytes),
        megabytes(bytes),
      ]),
      2,
    ),
    '',
    table(
      ['system', 'store', 'submit B/job', 'drain B/job', 'kept B/job', 'loop delay p99 ms', 'longest ms'],
      written.map((each) => [
        each.system,
        each.store,
        rounded(each.submitBytes),
        rounded(each.drainBytes),
        rounded(each.storedBytes),
        milliseconds(each.loopDelayP99Ms),
        milliseconds(each.loopDelayMaxMs),
      ]),
      2,
    ),
    '',
    checkTable([...memory.map(memoryCheck), ...written.flatMap(delayCheck)]),
  ].join('\n')
}

function memoryCheck({ store, inFlight, bytes }: MemoryResult): Check {
  const what = `resident memory with ${rounded(inFlight)} jobs in flight on ${store}`
  return { what, value: bytes / 2 ** 20, unit: 'MB', atMost: 250 }
}

function delayCheck({ system, store, loopDelayP99Ms }: WrittenResult): readonly Check[] {
  if (system !== 'stint' || store !== 'sqlite') return []
  return [{ what: 'event loop delay p99 while draining on SQLite', value: loopDelayP99Ms, unit: 'ms', atMost: 10 }]
}
