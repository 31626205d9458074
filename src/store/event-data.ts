import { type CatalogueType, catalogue, type JobEvent, type JobEventData } from '../core/job/events.ts'
import { defaultRetry, type RetryPolicy } from '../core/job/job.ts'
import type { JsonObject } from '../core/json.ts'
import { type RecordEventType, recordCatalogue } from '../core/records/events.ts'
import { sameRetry } from './encoding.ts'

/**
 * Event data as it is stored: JSON without what follows from defaults. A job of defaults says little more than its name,
 * and history is most of what a store holds.
 */
export function encodeEventData(event: JobEvent, pk: number): string {
  if (event.type !== 'job.created') return JSON.stringify(event.data)
  const { position, scheduledFor, ...data } = event.data
  return encodeCreated({
    ...data,
    ...(position === positionOf(pk) ? {} : { position }),
    ...(scheduledFor === event.at ? {} : { scheduledFor }),
  })
}

const nowhere: ReadonlySet<string> = new Set()

type Created = JobEventData['job.created']

/** What a new job's event says, without what is at its default or follows from elsewhere. */
export function encodeCreated(data: Partial<Created>, elsewhere: ReadonlySet<string> = nowhere): string {
  const kept: Record<string, unknown> = {}
  for (const name in data) {
    const value = data[name as keyof typeof data]
    if (!elsewhere.has(name) && !isDefault(name, value)) kept[name] = value
  }
  return JSON.stringify(kept)
}

export function decodeEventData(
  type: CatalogueType | RecordEventType,
  text: string,
  at: number,
  pk: number,
): JsonObject {
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
  limits: [],
  task: null,
  needs: null,
  rerun: null,
  pending: false,
} as const

function isDefault(name: string, value: unknown): boolean {
  if (name === 'retry') return sameRetry(value as RetryPolicy, defaultRetry)
  if (name === 'labels' || name === 'limits') return isEmpty(value as object)
  return value === (createdDefaults as Record<string, unknown>)[name]
}

function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}

/** Positions have gaps, so that a job can be moved between two others without touching them. */
export function positionOf(pk: number): number {
  return 100 * pk
}

const typeByCode = new Map(
  Object.entries({ ...catalogue, ...recordCatalogue }).map(
    ([type, code]): [number, CatalogueType | RecordEventType] => {
      return [code, type as CatalogueType | RecordEventType]
    },
  ),
)

export function typeOfCode(code: number): CatalogueType | RecordEventType {
  const type = typeByCode.get(code)
  if (type === undefined) throw new Error(`The log holds an event type with the unknown code ${code}.`)
  return type
}
