import type { Segment } from '../../src/store/controls.ts'
import type { AgedEntry, Removed, Segments } from '../../src/store/retention/segments.ts'
import type { Stretch } from '../../src/store/retention/walks.ts'
import type { LogRow, ModelData } from './model-data.ts'

/** What leaves the log of the model. */
export class ModelSegments implements Segments {
  readonly #data: ModelData

  constructor(data: ModelData) {
    this.#data = data
  }

  end(): string {
    return String(this.#log().at(-1)?.entry.logId ?? 0)
  }

  entriesAfter(position: string, limit: number): readonly { position: string; receivedAt: number; bytes: number }[] {
    const newest = Math.max(0, ...this.#log().map(({ entry }) => entry.logId))
    const after = this.#log().filter(({ entry: { logId } }) => logId > Number(position) && logId < newest)
    return after.slice(0, limit).map(({ entry: { logId, receivedAt, attributes } }) => {
      return { position: String(logId), receivedAt, bytes: JSON.stringify(attributes).length }
    })
  }

  entriesWithin({ after, upto }: Stretch): readonly AgedEntry[] {
    const rows = this.#log().filter(({ entry }) => entry.logId > Number(after) && entry.logId <= Number(upto))
    return rows.map(({ pk, entry }) => ({
      entry,
      jobName: pk === null ? null : (this.#data.jobs.get(pk)?.job.name ?? this.#data.pasts.get(pk)?.name ?? null),
      isOfJob: pk !== null && this.#data.jobs.has(pk),
    }))
  }

  removeEntries(stretch: Stretch, logIds: readonly number[]): readonly Removed[] {
    const entries = this.entriesWithin(stretch).filter(({ entry, isOfJob }) => !isOfJob && logIds.includes(entry.logId))
    for (const { entry } of entries) this.#data.log.delete(entry.logId)
    for (const { pk, body } of this.#data.pasts.values()) {
      if (body === null && !this.#log().some((row) => row.pk === pk)) this.#data.pasts.delete(pk)
    }
    return entries.map(({ entry: { logId, receivedAt } }) => ({ logId, receivedAt }))
  }

  add(segment: Segment): void {
    this.#data.segments.set(this.#data.segments.size + 1, segment)
  }

  find(file: string): Segment | null {
    return this.#data.segments.values().find((segment) => segment.file === file) ?? null
  }

  page(before: number | null, limit: number): { items: readonly Segment[]; next: number | null } {
    const older = this.#data.segments.entries().filter(([pk]) => before === null || pk < before)
    const page = older.toSorted(([a], [b]) => b - a).slice(0, limit)
    return { items: page.map(([, segment]) => segment), next: page.length < limit ? null : (page.at(-1)?.[0] ?? null) }
  }

  #log(): readonly LogRow[] {
    return this.#data.log.values().toSorted((a, b) => a.entry.logId - b.entry.logId)
  }
}
