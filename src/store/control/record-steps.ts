import { StintError } from '../../core/errors.ts'
import type { Context } from '../../core/job/commands.ts'
import { checkSubmittable, JobName } from '../../core/names/job-name.ts'
import type { RecordEvent } from '../../core/records/events.ts'
import type { Attempt } from '../attempt.ts'
import { checkInteger, isUuid, refuse } from '../check-input.ts'
import type { ListInput } from '../controls.ts'
import { missingRecord } from '../missing.ts'
import type { Hold, RecordKind, StoredRecord } from '../records.ts'
import type { Transaction } from '../transaction.ts'

/** What a record becomes. What is not said stays. */
export interface RecordStep<Body extends object> {
  readonly body: Body
  readonly events: readonly RecordEvent[]
  readonly released?: boolean
  readonly dueAt?: number | null
}

export interface NewRecord<Body extends object> extends RecordStep<Body> {
  readonly parent?: Attempt | null
  readonly kind: RecordKind
  readonly id: string
  readonly path: string
}

/** Writes a new record and its first events. */
export async function createRecord<Body extends object>(
  tx: Transaction,
  { kind, id, path, body, events, dueAt = null, parent = null }: NewRecord<Body>,
  context: Context,
): Promise<StoredRecord<Body>> {
  const [pk = 0] = await tx.reserve(1)
  const { namespace } = JobName.parse(path)
  const times = { createdAt: tx.now, updatedAt: tx.now }
  const version = events.length
  const record = { pk, kind, id, path, namespace, released: false, version, dueAt, ...times, parent, body }
  if (!(await tx.records.insert(record))) throw taken(kind, id, path)
  await logEvents(tx, record, 0, events, context)
  return record
}

/** Writes what a record, which must be held, has become. Without events nothing has happened. */
export async function writeStep<Body extends object>(
  tx: Transaction,
  record: StoredRecord<Body>,
  { body, events, released = record.released, dueAt = record.dueAt }: RecordStep<Body>,
  context: Context,
): Promise<StoredRecord<Body>> {
  const version = record.version + events.length
  const after = { ...record, body, released, dueAt, version, updatedAt: tx.now }
  await tx.records.save([after])
  await logEvents(tx, record, record.version, events, context)
  return after
}

async function logEvents(
  tx: Transaction,
  record: StoredRecord,
  version: number,
  events: readonly RecordEvent[],
  context: Context,
): Promise<void> {
  if (events.length === 0) return
  // What is about a record can be understood without it: where it stands goes with every event.
  const about = ({ type, data }: RecordEvent): RecordEvent => ({ type, data: { path: record.path, ...data } })
  const entries = events.map((event, i) => {
    return { record, version: version + i + 1, event: about(event), at: tx.now, context }
  })
  await tx.records.log(entries)
}

/** The record that a UUID or a path names. */
export async function requireRecord(
  tx: Transaction,
  kind: RecordKind,
  ref: unknown,
  hold: Hold,
): Promise<StoredRecord> {
  const [record] = await tx.records.find(kind, [checkRef(kind, ref)], hold)
  if (record !== undefined) return record
  throw missingRecord(kind, ref)
}

/** A UUID, or a path in its one spelling. */
export function checkRef(field: RecordKind | 'record', ref: unknown): string {
  if (typeof ref === 'string' && ref.startsWith('/')) return checkPath(ref)
  if (typeof ref === 'string' && isUuid(ref)) return ref
  throw refuse(field, ref, 'must be a UUID or a path')
}

/** A path keeps to the rules of names: jobs stand below it. */
export function checkPath(path: unknown): string {
  const name = JobName.parse(path as string)
  checkSubmittable(name)
  return name.toWire()
}

/** A page of records, the newest first. */
export async function listRecords(
  tx: Transaction,
  kind: RecordKind,
  input: ListInput,
): Promise<{ readonly records: readonly StoredRecord[]; readonly next: number | null }> {
  const { path, withReleased = false, before = null, limit } = input
  const records = await tx.records.page({
    kind,
    path: path === undefined ? null : checkPath(path),
    withReleased: withReleased === true,
    before: before === null ? null : checkInteger(before, 'before', 0, Number.MAX_SAFE_INTEGER),
    limit: checkInteger(limit, 'limit', 1, 1_000),
  })
  return { records, next: records.length < limit ? null : (records.at(-1)?.pk ?? null) }
}

function taken(kind: RecordKind, id: string, path: string): StintError {
  return new StintError('path_taken', `Another ${kind} has the path ${path} or the id ${id}.`, { path })
}
