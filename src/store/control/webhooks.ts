import type { Context } from '../../core/job/commands.ts'
import type { RecordEvent } from '../../core/records/events.ts'
import { defaultTypes, disabled, enabled, rotated, secretsAt, told, type Webhook } from '../../core/webhook/webhook.ts'
import {
  checkArray,
  checkDuration,
  checkObject,
  checkOptionalText,
  checkText,
  checkUuid,
  refuse,
} from '../check-input.ts'
import type { ActiveWebhook, ListInput, WebhookControls, WebhookRow, WebhookTarget } from '../controls.ts'
import { missingRecord } from '../missing.ts'
import type { StoredRecord } from '../records.ts'
import { systemPath } from '../system-path.ts'
import type { Transaction } from '../transaction.ts'
import { checkPath, createRecord, listRecords, requireRecord, writeStep } from './record-steps.ts'
import { checkSecret, checkTypes, checkUrl } from './webhook-input.ts'

type WebhookRecord = StoredRecord<Webhook>
type Input<N extends keyof WebhookControls> = WebhookControls[N]['input']

/** More are not meant to be active at once: all servers go through them. */
const activeMax = 10_000
const pageSize = 1_000

export const webhookControls = {
  'webhook.create': async (tx: Transaction, given: Input<'webhook.create'>, context: Context): Promise<WebhookRow> => {
    const id = checkUuid(given.id, 'id')
    const body: Webhook = {
      url: checkUrl(given.url),
      scope: given.scope === null || given.scope === undefined ? null : checkPath(given.scope),
      types: checkTypes(given.types ?? defaultTypes),
      label: checkOptionalText(given.label, 'label', 255),
      secret: checkSecret(given.secret),
      previous: null,
      status: 'ACTIVE',
      reason: null,
      since: tx.now,
      cursor: await tx.segments.end(),
      failures: 0,
    }
    const events = [{ type: 'webhook.created', data: shown(body) }] as const
    const path = systemPath('webhooks', id)
    return rowOf(await createRecord(tx, { kind: 'webhook', id, path, body, events }, context))
  },
  'webhook.change': async (
    tx: Transaction,
    { webhook, changes }: Input<'webhook.change'>,
    context: Context,
  ): Promise<WebhookRow> => {
    const record = await held(tx, webhook)
    const { url, types, label, status, reason }: typeof changes = checkObject(changes, 'changes')
    const body: Webhook = {
      ...record.body,
      ...(url === undefined ? {} : { url: checkUrl(url) }),
      ...(types === undefined ? {} : { types: checkTypes(types) }),
      ...(label === undefined ? {} : { label: checkOptionalText(label, 'label', 255) }),
    }
    const isChanged = JSON.stringify(body) !== JSON.stringify(record.body)
    const changed = isChanged ? [{ type: 'webhook.changed', data: shown(body) } as const] : []
    const after = status === undefined ? body : await withStatus(tx, body, status, reason)
    return await save(tx, record, after, changed, context)
  },
  'webhook.rotate': async (
    tx: Transaction,
    { webhook, secret, keepMs }: Input<'webhook.rotate'>,
    context: Context,
  ): Promise<WebhookRow> => {
    const record = await held(tx, webhook)
    const body = rotated(record.body, checkSecret(secret), tx.now + checkDuration(keepMs, 'keepMs'))
    return await save(tx, record, body, [{ type: 'webhook.changed', data: { secret: 'rotated' } }], context)
  },
  'webhook.delete': async (
    tx: Transaction,
    { webhook }: Input<'webhook.delete'>,
    context: Context,
  ): Promise<WebhookRow> => {
    const record = await held(tx, webhook)
    const events = [{ type: 'webhook.deleted', data: {} }] as const
    return rowOf(await writeStep(tx, record, { body: record.body, events, released: true }, context))
  },
  'webhook.get': async (tx: Transaction, { webhook }: Input<'webhook.get'>): Promise<WebhookRow | null> => {
    const record = await read(tx, webhook)
    return record === null ? null : rowOf(record)
  },
  'webhook.list': async (tx: Transaction, { before, limit }: Omit<ListInput, 'path'>) => {
    const { records, next } = await listRecords(tx, 'webhook', { limit, before: before ?? null })
    return { items: records.map((record) => rowOf(record as WebhookRecord)), next }
  },
  'webhook.active': async (tx: Transaction): Promise<readonly ActiveWebhook[]> => {
    const found: ActiveWebhook[] = []
    for (let before: number | null = null; found.length < activeMax; ) {
      const page: Awaited<ReturnType<typeof listRecords>> = await listRecords(tx, 'webhook', {
        before,
        limit: pageSize,
      })
      for (const { id, body } of page.records as readonly WebhookRecord[]) {
        const { scope, types, since, cursor } = body
        if (body.status === 'ACTIVE') found.push({ id, scope, types, since, cursor })
      }
      if (page.next === null) break
      before = page.next
    }
    return found
  },
  // Where it stands in the log is no event of its own, nor a change that anybody made.
  'webhook.advance': async (tx: Transaction, { webhooks, from, to }: Input<'webhook.advance'>): Promise<null> => {
    const ids = checkArray(webhooks, 'webhooks', activeMax).map((id) => checkUuid(id, 'webhooks'))
    const cursor = checkText(to, 'to', 64)
    const records = (await tx.records.find('webhook', ids, 'change')) as readonly WebhookRecord[]
    const behind = records.filter(({ released, body }) => !released && body.cursor === from)
    if (behind.length > 0) await tx.records.save(behind.map((each) => ({ ...each, body: { ...each.body, cursor } })))
    return null
  },
  'webhook.target': async (tx: Transaction, { webhook }: Input<'webhook.target'>): Promise<WebhookTarget | null> => {
    const record = await read(tx, webhook)
    if (record === null) return null
    const { url, status, reason, failures } = record.body
    return { url, status, reason, failures, secrets: secretsAt(record.body, tx.now) }
  },
  'webhook.tell': async (
    tx: Transaction,
    { webhook, fate }: Input<'webhook.tell'>,
    context: Context,
  ): Promise<null> => {
    const [record] = await tx.records.find('webhook', [checkUuid(webhook, 'webhook')], 'change')
    if (record === undefined || record.released) return null
    if (!fates.includes(fate)) throw refuse('fate', fate, `must be one of ${fates.join(', ')}`)
    const before = record as WebhookRecord
    const body = told(before.body, fate)
    if (body !== before.body) await save(tx, before, body, [], context)
    return null
  },
}

const fates = ['delivered', 'failed', 'gone']

async function held(tx: Transaction, webhook: unknown): Promise<WebhookRecord> {
  const record = (await requireRecord(tx, 'webhook', checkUuid(webhook, 'webhook'), 'change')) as WebhookRecord
  // One that is deleted is there only for its history.
  if (record.released) throw missingRecord('webhook', webhook)
  return record
}

async function read(tx: Transaction, webhook: unknown): Promise<WebhookRecord | null> {
  const [record] = await tx.records.find('webhook', [checkUuid(webhook, 'webhook')], 'read')
  return record === undefined || record.released ? null : (record as WebhookRecord)
}

async function withStatus(tx: Transaction, body: Webhook, status: unknown, reason: unknown): Promise<Webhook> {
  if (status !== 'ACTIVE' && status !== 'DISABLED') throw refuse('status', status, 'must be ACTIVE or DISABLED')
  if (status === body.status) return body
  if (status === 'ACTIVE') return enabled(body, tx.now, await tx.segments.end())
  return disabled(body, checkOptionalText(reason, 'reason', 1_000) ?? 'disabled by hand')
}

/** That it is disabled from now on, or not any more, is told as well. */
async function save(
  tx: Transaction,
  record: WebhookRecord,
  body: Webhook,
  changes: readonly RecordEvent[],
  context: Context,
): Promise<WebhookRow> {
  const { status, reason } = body
  const events = [...changes]
  if (status !== record.body.status) {
    const data = status === 'ACTIVE' ? { status } : { reason }
    events.push({ type: status === 'ACTIVE' ? 'webhook.changed' : 'webhook.disabled', data })
  }
  return rowOf(await writeStep(tx, record, { body, events }, context))
}

/** What of it may stand in the log. */
function shown({ url, scope, types, label }: Webhook) {
  return { url, scope, types, label }
}

function rowOf({ id, body, createdAt, updatedAt }: WebhookRecord): WebhookRow {
  const { secret: _, previous, cursor: __, since: ___, ...row } = body
  return { id, ...row, rotatingUntil: previous?.until ?? null, createdAt, updatedAt }
}
