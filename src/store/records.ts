import type { Context } from '../core/job/commands.ts'
import type { RecordEvent } from '../core/records/events.ts'
import type { Attempt } from './attempt.ts'
import type { Awaitable } from './awaitable.ts'

/** The number is what the stores keep. */
export const recordKinds = {
  template: 1,
  schedule: 2,
  group: 3,
  defaults: 4,
  retention: 5,
  slot: 6,
  key: 7,
  webhook: 8,
} as const

export type RecordKind = keyof typeof recordKinds

/**
 * What is described rather than run: a template, a schedule, a group. What is asked for in SQL is a column, the rest is JSON
 * that one module of the core reads and writes.
 */
export interface StoredRecord<Body extends object = object> {
  readonly pk: number
  readonly kind: RecordKind
  readonly id: string
  /** Its place in the tree. Of those of one kind that have not left it, only one has it. */
  readonly path: string
  readonly namespace: string
  /** Set once it has left its path to others: archived, deleted, over. */
  readonly released: boolean
  /** Counts its events. */
  readonly version: number
  /** When something is to be done about it; null for never. */
  readonly dueAt: number | null
  readonly createdAt: number
  readonly updatedAt: number
  /** The attempt that made it, if one did: when it fails, so does what it made. */
  readonly parent: Attempt | null
  readonly body: Body
}

/**
 * How a record is read: as it is; so that nobody changes it before the end of the transaction; or in order to change it.
 */
export type Hold = 'read' | 'keep' | 'change'

export interface RecordPage {
  readonly kind: RecordKind
  /** At this path or below; null for all. */
  readonly path: string | null
  /** Those that have left their path, too. */
  readonly withReleased: boolean
  /** Row key: records before it, the newest first. */
  readonly before: number | null
  readonly limit: number
}

/** Records inside one transaction. */
export interface Records {
  /** By UUID, or by path those that have not left it. */
  find(kind: RecordKind, refs: readonly string[], hold: Hold): Awaitable<readonly StoredRecord[]>
  byKey(kind: RecordKind, pks: readonly number[], hold: Hold): Awaitable<readonly StoredRecord[]>
  /** False when a record of its kind has its id or path. */
  insert(record: StoredRecord): Awaitable<boolean>
  /** Writes records that are held for change. */
  save(records: readonly StoredRecord[]): Awaitable<void>
  /** The record that has been due for longest and that nobody else is at, but for some, held for change. */
  due(kind: RecordKind, skip: number): Awaitable<StoredRecord | null>
  /** When the next one that is not due yet will be; null when there is none. */
  nextDue(kind: RecordKind): Awaitable<number | null>
  page(page: RecordPage): Awaitable<readonly StoredRecord[]>
  /** Writes the events of records, each with its version. */
  log(entries: readonly RecordEntry[]): Awaitable<void>
}

export interface RecordEntry {
  readonly record: Pick<StoredRecord, 'pk' | 'id' | 'namespace'>
  readonly version: number
  readonly event: RecordEvent
  readonly at: number
  readonly context: Context
}

/** A record as a row: the same columns on both stores. */
export interface RecordRow {
  readonly pk: number
  readonly kind: number
  readonly id: string
  readonly path: string
  readonly namespace: string
  readonly released: number
  readonly version: number
  readonly due_at: number | null
  readonly created_at: number
  readonly updated_at: number
  readonly parent: number | null
  readonly parent_attempt: number | null
  readonly body: string
}

export function recordRow(record: StoredRecord): RecordRow {
  return {
    pk: record.pk,
    kind: recordKinds[record.kind],
    id: record.id,
    path: record.path,
    namespace: record.namespace,
    released: record.released ? record.pk : 0,
    version: record.version,
    due_at: record.dueAt,
    created_at: record.createdAt,
    updated_at: record.updatedAt,
    parent: record.parent?.pk ?? null,
    parent_attempt: record.parent?.attempt ?? null,
    body: JSON.stringify(record.body),
  }
}

const kindByNumber = new Map(Object.entries(recordKinds).map(([kind, number]) => [number, kind as RecordKind]))

export function recordOfRow(row: RecordRow): StoredRecord {
  return {
    pk: row.pk,
    kind: kindByNumber.get(row.kind as (typeof recordKinds)[RecordKind]) ?? 'template',
    id: row.id,
    path: row.path,
    namespace: row.namespace,
    released: row.released !== 0,
    version: row.version,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    parent: row.parent === null ? null : { pk: row.parent, attempt: row.parent_attempt ?? 0 },
    body: JSON.parse(row.body),
  }
}

/** An event of a record as a row of the log. Its id follows from record and version, as that of a job's event does. */
export interface RecordEventRow {
  readonly job: number
  readonly version: number
  readonly code: number
  readonly occurred_at: number
  readonly namespace: string
  readonly actor: string | null
  readonly cause: string | null
  readonly execution_id: string | null
  readonly trace_id: string | null
  readonly span_id: string | null
  readonly event_id: string
  readonly attributes: string
}
