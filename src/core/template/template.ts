import { StintError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { RecordEvent } from '../records/events.ts'

/** CREATED until its first use, ACTIVE from then on, ARCHIVED when no new job may be made of it. */
export type TemplateStatus = 'CREATED' | 'ACTIVE' | 'ARCHIVED'

/** What a template says, apart from what every record has. Settings are plain data here: the store checks and merges them. */
export interface Template {
  readonly status: TemplateStatus
  readonly type: string
  readonly label: string | null
  readonly description: string | null
  readonly settings: JsonObject
  /** JSON Schema that the params of its jobs must fit. */
  readonly schema: JsonObject | boolean | null
}

export type TemplateContent = Omit<Template, 'status'>

/** A step of a template: what it is then, and what happened. */
export interface TemplateStep {
  readonly template: Template
  readonly events: readonly RecordEvent[]
}

export function createTemplate(content: TemplateContent): TemplateStep {
  const template: Template = { ...content, status: 'CREATED' }
  return { template, events: [{ type: 'template.created', data: { ...content } }] }
}

/** Jobs that were made of it stay as they are. */
export function changeTemplate(template: Template, changes: Partial<TemplateContent>): TemplateStep {
  if (template.status === 'ARCHIVED') throw archived('be changed')
  const changed = { ...template, ...changes }
  return { template: changed, events: [{ type: 'template.changed', data: { ...changes } }] }
}

/** By hand, or when the first job is made of it. */
export function activateTemplate(template: Template): TemplateStep {
  if (template.status === 'ARCHIVED') throw archived('be used')
  if (template.status === 'ACTIVE') return { template, events: [] }
  return { template: { ...template, status: 'ACTIVE' }, events: [{ type: 'template.activated', data: {} }] }
}

export function archiveTemplate(template: Template): TemplateStep {
  if (template.status === 'ARCHIVED') return { template, events: [] }
  return { template: { ...template, status: 'ARCHIVED' }, events: [{ type: 'template.archived', data: {} }] }
}

function archived(what: string): StintError {
  return new StintError('template_archived', `The template is archived and can no longer ${what}.`, {})
}
