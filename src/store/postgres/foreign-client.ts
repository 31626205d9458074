import type { QueryClient } from '../store.ts'

/** Columns that hold numbers too large for some drivers, which give them as text. */
const numbers = new Set([
  ...['pk', 'revision', 'released', 'type', 'version', 'state', 'phase', 'priority', 'position', 'attempt', 'charged'],
  ...['cancelled', 'outcome', 'scheduled_for', 'expires_at', 'deadline_at', 'attempt_deadline_at', 'created_at'],
  ...['queued_at', 'started_at', 'finished_at', 'updated_at', 'parent', 'parent_attempt', 'claim_revision'],
  ...['end_started_at', 'end_finished_at', 'claim_started_at', 'claim_deadline_at'],
  ...['job', 'on_job', 'now', 'kind', 'due_at', 'group_pk', 'seq'],
])

/**
 * A client of the caller's, made to speak as ours do: arrays go as text, which every driver takes, and numbers come as
 * numbers, whatever the driver gives.
 */
export function foreignClient(client: QueryClient): QueryClient {
  return {
    async query(text, values) {
      const sent = values.map((value) => (Array.isArray(value) ? arrayText(value) : value))
      const { rows } = await client.query(text, sent)
      return { rows: rows.map(withNumbers) }
    },
  }
}

function withNumbers(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const isText = typeof value === 'string' || typeof value === 'bigint'
      return [name, isText && numbers.has(name) ? Number(value) : value]
    }),
  )
}

function arrayText(values: readonly unknown[]): string {
  return `{${values.map(element).join(',')}}`
}

function element(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  return typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value)
}
