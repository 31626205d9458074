import type { Context } from '../../core/job/commands.ts'
import { type JsonObject, toJsonText } from '../../core/json.ts'
import {
  activateTemplate,
  archiveTemplate,
  changeTemplate,
  createTemplate,
  type Template,
  type TemplateContent,
  type TemplateStep,
} from '../../core/template/template.ts'
import { checkObject, checkOptionalText, checkType, checkUuid, refuse } from '../check-input.ts'
import type { JobTexture, ListInput, NewTemplate, TemplateControls, TemplateInput, TemplateRow } from '../controls.ts'
import { checkSchema } from '../json-schema.ts'
import type { StoredRecord } from '../records.ts'
import { checkSettings, settingNames } from '../settings.ts'
import type { Transaction } from '../transaction.ts'
import { checkPath, checkRef, createRecord, listRecords, requireRecord, writeStep } from './record-steps.ts'

export type TemplateRecord = StoredRecord<Template>

export const templateControls = {
  'template.create': async (tx: Transaction, given: NewTemplate, context: Context) => {
    const input = checkObject(given, 'a template') as NewTemplate
    const { template: body, events } = createTemplate({ ...emptyContent, ...checkContent(input, true) })
    const path = checkPath(input.path)
    const created = { kind: 'template', id: checkUuid(input.id, 'id'), path, body, events } as const
    return rowOf(await createRecord(tx, created, context))
  },
  'template.change': async (
    tx: Transaction,
    { template, changes }: TemplateControls['template.change']['input'],
    context: Context,
  ) => {
    const checked = checkContent(checkObject(changes, 'changes') as TemplateInput, false)
    return await step(tx, template, (current) => changeTemplate(current, withSettings(current, checked)), context)
  },
  'template.activate': (tx: Transaction, { template }: { template: string }, context: Context) => {
    return step(tx, template, activateTemplate, context)
  },
  'template.archive': (tx: Transaction, { template }: { template: string }, context: Context) => {
    return step(tx, template, archiveTemplate, context)
  },
  'template.get': async (tx: Transaction, { template }: { template: string }) => {
    const [found] = await tx.records.find('template', [checkRef('template', template)], 'read')
    return found === undefined ? null : rowOf(found as TemplateRecord)
  },
  'template.list': async (tx: Transaction, input: ListInput) => {
    const { records, next } = await listRecords(tx, 'template', input)
    return { items: records.map((record) => rowOf(record as TemplateRecord)), next }
  },
}

async function step(
  tx: Transaction,
  ref: string,
  decide: (template: Template) => TemplateStep,
  context: Context,
): Promise<TemplateRow> {
  const record = (await requireRecord(tx, 'template', ref, 'change')) as TemplateRecord
  return rowOf(await writeTemplate(tx, record, decide(record.body), context))
}

/** Writes what a template has become. An archived one leaves its path to others. */
export async function writeTemplate(
  tx: Transaction,
  record: TemplateRecord,
  { template, events }: TemplateStep,
  context: Context,
): Promise<TemplateRecord> {
  if (events.length === 0) return record
  return await writeStep(tx, record, { body: template, events, released: template.status === 'ARCHIVED' }, context)
}

const emptyContent: Omit<TemplateContent, 'type'> = { label: null, description: null, settings: {}, schema: null }

const contentNames: readonly string[] = [
  'id',
  'path',
  'type',
  'label',
  'description',
  'params',
  'schema',
  ...settingNames,
]

function checkContent(input: TemplateInput, isNew: true): Pick<TemplateContent, 'type'> & Partial<TemplateContent>
function checkContent(input: Partial<TemplateInput>, isNew: false): Partial<TemplateContent>
function checkContent(input: Partial<TemplateInput>, isNew: boolean): Partial<TemplateContent> {
  const unknown = Object.keys(input).find((name) => !contentNames.includes(name))
  if (unknown !== undefined) throw refuse(unknown, input, 'is no field of a template')
  const settings = {
    ...checkSettings(input),
    ...(input.params === undefined ? {} : { params: checkParams(input.params) }),
  }
  return {
    ...(isNew || input.type !== undefined ? { type: checkType(input.type) } : {}),
    ...(input.label === undefined ? {} : { label: checkOptionalText(input.label, 'label', 255) }),
    ...(input.description === undefined
      ? {}
      : { description: checkOptionalText(input.description, 'description', 65_536) }),
    ...(input.schema === undefined ? {} : { schema: checkSchema(input.schema, 'schema') }),
    ...(Object.keys(settings).length === 0 ? {} : { settings: settings as unknown as JsonObject }),
  }
}

/** Defaults are merged with what a job says, so they are an object. */
export function checkParams(params: unknown): JsonObject {
  return JSON.parse(toJsonText(checkObject(params, 'params'), 'params') ?? '{}')
}

/** A change of one setting leaves the others as they are. */
function withSettings(current: Template, changes: Partial<TemplateContent>): Partial<TemplateContent> {
  if (changes.settings === undefined) return changes
  return { ...changes, settings: { ...current.settings, ...changes.settings } }
}

export function textureOf({ settings }: Template): JobTexture {
  return settings as unknown as JobTexture
}

function rowOf({ id, path, version, createdAt, updatedAt, body }: TemplateRecord): TemplateRow {
  const { status, type, label, description, schema } = body
  const about = { id, path, status, type, label, description, schema, version, createdAt, updatedAt }
  return { ...textureOf(body), ...about }
}
