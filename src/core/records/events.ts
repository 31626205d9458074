import type { JsonObject } from '../json.ts'

/**
 * Events of what is described rather than run: templates, schedules, groups, slots. The number is what the stores keep; like those of
 * jobs it never changes and is never used again.
 */
export const recordCatalogue = {
  'template.created': 101,
  'template.changed': 102,
  'template.activated': 103,
  'template.archived': 104,
  'schedule.created': 111,
  'schedule.changed': 112,
  'schedule.enabled': 113,
  'schedule.disabled': 114,
  'schedule.deleted': 115,
  'schedule.fired': 116,
  'schedule.missed': 117,
  'schedule.blocked': 118,
  'group.created': 121,
  'group.sealed': 122,
  'group.started': 123,
  'group.finished': 124,
  'group.stopped': 125,
  'group.cancel.requested': 126,
  'group.reordered': 127,
  'defaults.set': 131,
  'defaults.removed': 132,
  'retention.set': 141,
  'retention.removed': 142,
  'slot.created': 151,
  'slot.filled': 152,
  'slot.failed': 153,
  'key.created': 161,
  'key.revoked': 162,
  'webhook.created': 171,
  'webhook.changed': 172,
  'webhook.disabled': 173,
  'webhook.deleted': 174,
} as const

export type RecordEventType = keyof typeof recordCatalogue

/** What happened to a record, before it has a place in the log. */
export interface RecordEvent {
  readonly type: RecordEventType
  readonly data: JsonObject
}
