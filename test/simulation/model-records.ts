import { eventSchema } from '../../src/core/job/events.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { recordEventRow } from '../../src/store/record-event.ts'
import type { RecordEntry, RecordKind, RecordPage, Records, StoredRecord } from '../../src/store/records.ts'
import type { ModelData } from './model-data.ts'

/** Records of the model. */
export class ModelRecords implements Records {
  readonly #data: ModelData
  readonly #now: number

  constructor(data: ModelData, now: number) {
    this.#data = data
    this.#now = now
  }

  find(kind: RecordKind, refs: readonly string[]): readonly StoredRecord[] {
    return this.#of(kind).filter(({ id, path, released }) => refs.includes(id) || (!released && refs.includes(path)))
  }

  byKey(kind: RecordKind, pks: readonly number[]): readonly StoredRecord[] {
    return this.#of(kind).filter(({ pk }) => pks.includes(pk))
  }

  insert(record: StoredRecord): boolean {
    const isTaken = ({ id, path, released }: StoredRecord) => id === record.id || (!released && path === record.path)
    if (this.#of(record.kind).some(isTaken)) return false
    this.#data.records.set(record.pk, record)
    return true
  }

  save(records: readonly StoredRecord[]): void {
    for (const record of records) this.#data.records.set(record.pk, record)
  }

  due(kind: RecordKind, skip: number): StoredRecord | null {
    const due = this.#of(kind).filter(({ dueAt }) => dueAt !== null && dueAt <= this.#now)
    return due.sort((a, b) => Number(a.dueAt) - Number(b.dueAt) || a.pk - b.pk)[skip] ?? null
  }

  nextDue(kind: RecordKind): number | null {
    const instants = this.#of(kind).flatMap(({ dueAt }) => (dueAt === null || dueAt <= this.#now ? [] : [dueAt]))
    return instants.length === 0 ? null : Math.min(...instants)
  }

  page({ kind, path, withReleased, before, limit }: RecordPage): readonly StoredRecord[] {
    const found = this.#of(kind).filter((record) => {
      const isBelow = path === null || record.path === path || record.path.startsWith(`${path}/`)
      return isBelow && (withReleased || !record.released) && (before === null || record.pk < before)
    })
    return found.sort((a, b) => b.pk - a.pk).slice(0, limit)
  }

  log(entries: readonly RecordEntry[]): void {
    for (const entry of entries) {
      const row = recordEventRow(entry)
      const logId = this.#data.nextLogId()
      this.#data.log.set(logId, {
        pk: entry.record.pk,
        entry: {
          logId,
          eventId: row.event_id,
          eventType: entry.event.type,
          occurredAt: entry.at,
          receivedAt: entry.at,
          namespace: row.namespace,
          jobId: null,
          taskId: null,
          version: entry.version,
          schemaVersion: eventSchema,
          source: null,
          actor: row.actor,
          cause: row.cause,
          executionId: row.execution_id,
          traceId: row.trace_id,
          spanId: row.span_id,
          attributes: JSON.parse(row.attributes) as JsonObject,
        },
      })
    }
  }

  #of(kind: RecordKind): StoredRecord[] {
    return this.#data.records.values().filter((record) => record.kind === kind)
  }
}
