import { StintError, show } from '../core/errors.ts'
import { activateTemplate } from '../core/template/template.ts'
import { attempt } from './check-input.ts'
import { defaultsOver } from './control/defaults.ts'
import { checkRef } from './control/record-steps.ts'
import { type TemplateRecord, textureOf, writeTemplate } from './control/templates.ts'
import { requireFit } from './json-schema.ts'
import { missingRecord } from './missing.ts'
import { mergeSettings, withSettings } from './settings.ts'
import type { Submission } from './store.ts'
import type { Transaction } from './transaction.ts'

/**
 * Submissions with what they do not say themselves, from the weakest to the strongest: the paths over their names, the nearest
 * last, then their template. What is wrong with one is in its place.
 */
export async function completed(
  tx: Transaction,
  submissions: readonly Submission[],
): Promise<readonly (Submission | StintError)[]> {
  const names = submissions.flatMap((submission) => (typeof submission?.name === 'string' ? [submission.name] : []))
  const settingsOver = await defaultsOver(tx, names)
  const templateOf = await templatesOf(tx, submissions)
  return submissions.map((submission) => {
    if (typeof submission !== 'object' || submission === null) return submission
    return attempt(() => {
      const template = templateOf(submission)
      const layers = [...settingsOver(submission.name), ...(template === null ? [] : [textureOf(template.body)])]
      const filled = layers.length === 0 ? submission : withSettings(submission, mergeSettings(layers), tx.now)
      return template === null ? filled : ofTemplate(filled, template)
    })
  })
}

function ofTemplate(submission: Submission, { id, path, body }: TemplateRecord): Submission {
  const { template: _, type = body.type, ...rest } = submission
  if (type !== body.type) {
    const rule = `must be ${body.type}, the type of the template ${path}`
    throw new StintError('invalid_argument', `type ${rule}; got ${show(type)}.`, { field: 'type', rule })
  }
  if (body.schema !== null) requireFit(body.schema, rest.params ?? null, `the template ${path}`)
  return { ...rest, type, templateId: id }
}

/** The templates that submissions name, kept as they are until the end of the transaction. The first use makes one active. */
async function templatesOf(
  tx: Transaction,
  submissions: readonly Submission[],
): Promise<(submission: Submission) => TemplateRecord | null> {
  const named = submissions.flatMap((submission) => submission?.template ?? [])
  if (named.length === 0) return () => null
  const refs = named.flatMap((ref) => {
    const checked = attempt(() => checkRef('template', ref))
    return checked instanceof StintError ? [] : [checked]
  })
  const found = new Map<string, TemplateRecord>()
  for (const template of await held(tx, [...new Set(refs)]))
    found.set(template.id, template).set(template.path, template)
  return ({ template: ref }) => {
    if (ref === undefined) return null
    const template = found.get(checkRef('template', ref))
    if (template === undefined) throw missingRecord('template', ref)
    if (template.body.status === 'ARCHIVED') activateTemplate(template.body)
    return template
  }
}

/** Those that are used for the first time are held to be changed at once: two that first kept one could not both go on. */
async function held(tx: Transaction, refs: readonly string[]): Promise<readonly TemplateRecord[]> {
  const seen = (await tx.records.find('template', refs, 'read')) as readonly TemplateRecord[]
  const [unused, used] = [seen.filter(isUnused), seen.filter((template) => !isUnused(template))]
  const idsOf = (templates: readonly TemplateRecord[]) => templates.map(({ id }) => id)
  const kept = used.length === 0 ? [] : await tx.records.find('template', idsOf(used), 'keep')
  const changing = unused.length === 0 ? [] : await tx.records.find('template', idsOf(unused), 'change')
  const activated: TemplateRecord[] = []
  for (const record of changing as readonly TemplateRecord[]) {
    activated.push(isUnused(record) ? await writeTemplate(tx, record, activateTemplate(record.body), {}) : record)
  }
  return [...(kept as readonly TemplateRecord[]), ...activated]
}

function isUnused({ body }: TemplateRecord): boolean {
  return body.status === 'CREATED'
}
