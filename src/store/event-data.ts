import { type CatalogueType, catalogue, type JobEvent } from '../core/job/events.ts'
import { defaultRetry } from '../core/job/job.ts'
import type { JsonObject } from '../core/json.ts'

/**
 * Event data as it is stored: JSON without what follows from defaults. A job of defaults says little more than its name,
 * and history is most of what a store holds.
 */
export function encodeEventData(event: JobEvent, pk: number): string {
  if (event.type !== 'job.created') return JSON.stringify(event.data)
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(event.data)) {
    if (!isDefault(name, value, event.at, pk)) kept[name] = value
  }
  return JSON.stringify(kept)
}

export function decodeEventData(type: CatalogueType, text: string, at: number, pk: number): JsonObject {
  const data = JSON.parse(text)
  return type === 'job.created' ? { ...createdDefaults, scheduledFor: at, position: positionOf(pk), ...data } : data
}

const createdDefaults = {
  key: null,
  labels: {},
  templateId: null,
  scheduleId: null,
  groupId: null,
  retryOf: null,
  submittedBy: null,
  replaces: null,
  paramsDigest: null,
  priority: 0,
  expiresAt: null,
  retry: { ...defaultRetry },
  timeoutMs: null,
  deadlineAt: null,
  awaits: null,
  onFailure: null,
  pending: false,
} as const

function isDefault(name: string, value: unknown, at: number, pk: number): boolean {
  if (name === 'position') return value === positionOf(pk)
  if (name === 'scheduledFor') return value === at
  if (name === 'retry') return value === defaultRetry
  if (name === 'labels') return Object.keys(value as object).length === 0
  return value === (createdDefaults as Record<string, unknown>)[name]
}

/** Positions have gaps, so that a job can be moved between two others without touching them. */
export function positionOf(pk: number): number {
  return 100 * pk
}

const typeByCode = new Map(Object.entries(catalogue).map(([type, code]) => [code, type as CatalogueType]))

export function typeOfCode(code: number): CatalogueType {
  const type = typeByCode.get(code as (typeof catalogue)[CatalogueType])
  if (type === undefined) throw new Error(`The log holds an event type with the unknown code ${code}.`)
  return type
}
