import type { Context } from '../../core/job/commands.ts'
import type { JsonObject } from '../../core/json.ts'
import { JobName } from '../../core/names/job-name.ts'
import { builtInRetention, type Retention, type RetentionPolicy } from '../../core/retention/policy.ts'
import { checkDuration, checkInteger, checkObject, checkText, checkUuid, refuse } from '../check-input.ts'
import type { ListInput, PruneReport, RetentionControls, RetentionRow } from '../controls.ts'
import { type RetentionRecord, retentionOver } from '../retention/policies.ts'
import { prune } from '../retention/prune.ts'
import type { Transaction } from '../transaction.ts'
import { createRecord, listRecords, writeStep } from './record-steps.ts'

export const retentionControls = {
  'retention.set': async (
    tx: Transaction,
    given: RetentionControls['retention.set']['input'],
    context: Context,
  ): Promise<RetentionRow> => {
    const id = checkUuid(given.id, 'id')
    const path = checkPath(given.path)
    const body = checkPolicy(given.policy)
    const events = [{ type: 'retention.set', data: { policy: body as JsonObject } }] as const
    const [known] = await tx.records.find('retention', [path], 'change')
    const record =
      known === undefined
        ? await createRecord(tx, { kind: 'retention', id, path, body, events }, context)
        : await writeStep(tx, known as RetentionRecord, { body, events }, context)
    await tx.walks.review()
    return rowOf(record)
  },
  'retention.remove': async (tx: Transaction, { path }: { path: string }, context: Context): Promise<boolean> => {
    const [known] = await tx.records.find('retention', [checkPath(path)], 'change')
    if (known === undefined) return false
    const step = { body: known.body, events: [{ type: 'retention.removed', data: {} }], released: true } as const
    await writeStep(tx, known, step, context)
    await tx.walks.review()
    return true
  },
  'retention.list': async (tx: Transaction, input: ListInput) => {
    const { records, next } = await listRecords(tx, 'retention', input)
    return { items: records.map((record) => rowOf(record as RetentionRecord)), next }
  },
  'retention.get': async (tx: Transaction, { path }: { path: string }): Promise<Retention> => {
    const at = checkPath(path)
    return (await retentionOver(tx, [at]))(at)
  },
  'retention.prune': async (tx: Transaction, { limit }: { limit: number }): Promise<PruneReport> => {
    return await prune(tx, checkInteger(limit, 'limit', 1, 1_000))
  },
}

function checkPath(path: unknown): string {
  return JobName.parse(checkText(path, 'path', 4_096)).toWire()
}

/** Null is for ever; what is not said is inherited. */
function checkPolicy(given: unknown): RetentionPolicy {
  const said = Object.entries(checkObject(given, 'policy')).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    said.map(([field, value]) => {
      if (!Object.hasOwn(builtInRetention, field)) throw refuse(`policy.${field}`, value, 'is no field of a policy')
      return [field, value === null ? null : checkDuration(value, `policy.${field}`)]
    }),
  )
}

function rowOf({ path, body, updatedAt }: RetentionRecord): RetentionRow {
  return { path, policy: body, updatedAt }
}
