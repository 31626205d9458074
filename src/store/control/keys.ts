import { isInForce, type Key, revokeKey, roles } from '../../core/access/key.ts'
import type { Context } from '../../core/job/commands.ts'
import { checkObject, checkOptionalInstant, checkText, checkUuid, refuse } from '../check-input.ts'
import type { HashedKeyRow, KeyControls, KeyRow, ListInput } from '../controls.ts'
import type { StoredRecord } from '../records.ts'
import { systemPath } from '../system-path.ts'
import type { Transaction } from '../transaction.ts'
import { checkPath, createRecord, listRecords, requireRecord, writeStep } from './record-steps.ts'

type KeyRecord = StoredRecord<Key>

/** More than that are not meant to be in force at once: all servers hold them in memory. */
const inForceMax = 10_000
const pageSize = 1_000

/** It stands in the log with all that is done with the key, among what else says who it was. */
const labelMaxBytes = 200

export const keyControls = {
  'key.create': async (
    tx: Transaction,
    given: KeyControls['key.create']['input'],
    context: Context,
  ): Promise<KeyRow> => {
    const id = checkUuid(given.id, 'id')
    const body = checkKey(given)
    const { label, scope, role } = body
    const events = [{ type: 'key.created', data: { label, scope, role } }] as const
    const record = await createRecord(tx, { kind: 'key', id, path: systemPath('keys', id), body, events }, context)
    return rowOf(record)
  },
  'key.revoke': async (tx: Transaction, { key }: { key: string }, context: Context): Promise<KeyRow> => {
    const record = (await requireRecord(tx, 'key', checkUuid(key, 'key'), 'change')) as KeyRecord
    const body = revokeKey(record.body, tx.now)
    if (body === record.body) return rowOf(record)
    const events = [{ type: 'key.revoked', data: { label: body.label } }] as const
    return rowOf(await writeStep(tx, record, { body, events, released: true }, context))
  },
  'key.get': async (tx: Transaction, { key }: { key: string }): Promise<KeyRow | null> => {
    const [record] = await tx.records.find('key', [checkUuid(key, 'key')], 'read')
    return record === undefined ? null : rowOf(record as KeyRecord)
  },
  'key.list': async (tx: Transaction, { withReleased, before, limit }: ListInput) => {
    const { records, next } = await listRecords(tx, 'key', {
      limit,
      before: before ?? null,
      withReleased: withReleased ?? false,
    })
    return { items: records.map((record) => rowOf(record as KeyRecord)), next }
  },
  'key.inForce': async (tx: Transaction): Promise<readonly HashedKeyRow[]> => {
    const found: HashedKeyRow[] = []
    for (let before: number | null = null; found.length < inForceMax; ) {
      const page: Awaited<ReturnType<typeof listRecords>> = await listRecords(tx, 'key', { before, limit: pageSize })
      for (const record of page.records as readonly KeyRecord[]) {
        if (isInForce(record.body, tx.now)) found.push({ ...rowOf(record), hash: record.body.hash })
      }
      if (page.next === null) break
      before = page.next
    }
    return found
  },
}

function checkKey(given: KeyControls['key.create']['input']): Key {
  const { label, hash, scope, role, expiresAt }: { [K in keyof Key]?: unknown } = checkObject(given, 'a key')
  if (typeof hash !== 'string' || !/^[0-9a-f]{64}$/.test(hash)) throw refuse('hash', hash, 'must be a SHA-256')
  // Everything has to be asked for: it is not what comes of a field that was forgotten.
  if (scope === undefined) throw refuse('scope', scope, 'must be a path, or null for everything')
  const known = roles.find((each) => each === role)
  if (known === undefined) throw refuse('role', role, `must be one of ${roles.join(', ')}`)
  return {
    label: checkText(label, 'label', labelMaxBytes),
    hash,
    scope: scope === null ? null : checkPath(scope),
    role: known,
    expiresAt: checkOptionalInstant(expiresAt, 'expiresAt'),
    revokedAt: null,
  }
}

function rowOf({ id, body: { hash: _, ...key }, createdAt }: KeyRecord): KeyRow {
  return { id, ...key, createdAt }
}
