import { StintError, show } from '../core/errors.ts'
import { isReservedType } from '../core/job/events.ts'
import type { OutsideEvent } from '../core/job/outside-event.ts'
import { type JsonObject, toJsonText } from '../core/json.ts'
import { JobRunId } from '../core/names/ids.ts'
import { checkInstant, checkObject, checkOptionalText, checkPart, checkText, isUuid, refuse } from './check-input.ts'
import type { NewEvent } from './store.ts'

/** A checked event from outside, ready to be stored. */
export interface EventDraft {
  readonly namespace: string
  readonly source: string
  readonly id: string
  readonly event: OutsideEvent
  /** As the sender gave it. */
  readonly jobId: string | null
  /** The UUID in it, if it is an id of ours. */
  readonly jobUuid: string | null
  readonly attributes: string
}

const attributesMaxBytes = 262_144

export function eventDraftOf(event: NewEvent, now: number): EventDraft {
  checkObject(event, 'an event')
  const type = checkText(event.type, 'type', 255)
  if (isReservedType(type)) {
    const message = `type ${show(type)} is a name of Stint's own catalogue; events from outside need another.`
    throw new StintError('reserved_event_type', message, { field: 'type', rule: 'not a name of the catalogue' })
  }
  const source = checkText(event.source, 'source', 255)
  const id = checkText(event.id, 'id', 255)
  const taskId = checkOptionalText(event.taskId, 'taskId', 512)
  const jobId = checkOptionalText(event.jobId, 'jobId', 512)
  const attributes = checkAttributes(event.attributes)
  const at = event.occurredAt === undefined ? now : checkInstant(event.occurredAt, 'occurredAt')
  const outside: OutsideEvent = {
    key: outsideKey(source, id),
    type,
    taskId,
    at,
    attributes: JSON.parse(attributes) as JsonObject,
    executionId: checkOptionalText(event.executionId, 'executionId', 255),
    traceId: checkOptionalText(event.traceId, 'traceId', 255),
    spanId: checkOptionalText(event.spanId, 'spanId', 255),
  }
  const namespace = checkPart(event.namespace, 'namespace')
  return { namespace, source, id, event: outside, jobId, jobUuid: jobId === null ? null : uuidIn(jobId), attributes }
}

/** One text for (source, id) within a namespace that no other pair can have. */
export function outsideKey(source: string, id: string): string {
  return JSON.stringify([source, id])
}

/** The job an id means: a UUID, or the name in a JobRunId. Ids of other systems are kept, and mean no job here. */
export function uuidIn(jobId: string): string | null {
  if (isUuid(jobId)) return jobId
  try {
    const { name } = JobRunId.parse(jobId)
    return isUuid(name) ? name : null
  } catch {
    return null
  }
}

function checkAttributes(attributes: JsonObject | undefined): string {
  const text = toJsonText(checkObject(attributes ?? {}, 'attributes'), 'attributes', attributesMaxBytes) ?? '{}'
  // An object may say itself what it is as JSON, and a Date says that it is a text.
  if (!text.startsWith('{')) throw refuse('attributes', attributes, 'must be an object as JSON, too')
  return text
}
