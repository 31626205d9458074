import type { Context } from '../../core/job/commands.ts'
import { createSlot, fillSlot, rejectSlot } from '../../core/slot/slot.ts'
import type { Attempt } from '../attempt.ts'
import {
  checkArray,
  checkInteger,
  checkLimit,
  checkObject,
  checkOptionalInstant,
  checkOptionalText,
  checkText,
  checkUuid,
} from '../check-input.ts'
import type { ListInput, NewSlotInput, SlotControls, SlotRow } from '../controls.ts'
import { missingRecord } from '../missing.ts'
import { requireMakerAlive, settleSlots } from '../slots/settle.ts'
import { awaitedBy, type SlotRecord, suppliesOf } from '../slots/supply.ts'
import { checkJsonText } from '../submission.ts'
import { submit } from '../submit.ts'
import type { Transaction } from '../transaction.ts'
import { checkPath, checkRef, createRecord, listRecords, requireRecord, writeStep } from './record-steps.ts'
import { requireHeld } from './require-held.ts'

type Input<N extends keyof SlotControls> = SlotControls[N]['input']

export const slotControls = {
  'slot.create': async (tx: Transaction, { parent = null, ...given }: Input<'slot.create'>, context: Context) => {
    const maker = parent === null ? null : await requireHeld(tx, { job: parent.jobId, token: parent.token })
    const attempt = maker === null ? null : { pk: maker.guard.pk, attempt: maker.job.attempt }
    return rowOf(await create(tx, given, { attempt, madeBy: maker?.job.id ?? null }, context))
  },
  'slot.fill': async (tx: Transaction, given: Input<'slot.fill'>, context: Context) => {
    const { slot, namespace } = given
    const by = checkText(given.by, 'by', 512)
    const value = checkJsonText(given.value, 'value') ?? 'null'
    const record = await requireSlot(tx, slot, namespace)
    await requireMakerAlive(tx, record)
    const step = fillSlot(record.body, { value, by }, tx.now)
    const [settled = record] = await settleSlots(tx, [{ record, step }], { ...context, actor: context.actor ?? by })
    return rowOf(settled)
  },
  'slot.fail': async (tx: Transaction, given: Input<'slot.fail'>, context: Context) => {
    const { slot, namespace } = given
    const error = checkText(given.error, 'error', 4_096)
    const record = await requireSlot(tx, slot, namespace)
    const [settled = record] = await settleSlots(
      tx,
      [{ record, step: rejectSlot(record.body, error, tx.now) }],
      context,
    )
    return rowOf(settled)
  },
  'slot.due': async (tx: Transaction, { skip }: Input<'slot.due'>) => {
    const nth = checkInteger(skip, 'skip', 0, Number.MAX_SAFE_INTEGER)
    const record = (await tx.records.due('slot', nth)) as SlotRecord | null
    if (record === null) {
      const next = await tx.records.nextDue('slot')
      return { isDue: false, nextInMs: next === null ? null : next - tx.now }
    }
    const { value, dueAt } = record.body
    const by = `clock ${new Date(dueAt ?? tx.now).toISOString()}`
    await settleSlots(tx, [{ record, step: fillSlot(record.body, { value: value ?? 'null', by }, tx.now) }], {
      actor: by,
    })
    return { isDue: true, nextInMs: null }
  },
  'slot.get': async (tx: Transaction, { slot }: Input<'slot.get'>) => {
    const [record] = await tx.records.find('slot', [checkRef('slot', slot)], 'read')
    return record === undefined ? null : rowOf(record as SlotRecord)
  },
  'slot.awaited': async (tx: Transaction, given: Input<'slot.awaited'>) => {
    const limit = checkLimit(given.limit)
    const ids = checkArray(given.jobs, 'jobs', awaitedMax).map((id, i) => checkUuid(id, `jobs[${i}]`))
    const awaited = new Map((await tx.load(ids)).map(({ job }) => [job.id, awaitedBy(job)]))
    const supplies = await suppliesOf(tx, [...new Set([...awaited.values()].flat())])
    return ids.map((id) => {
      const open = [...new Set(awaited.get(id))].flatMap((of) => supplies.get(of) ?? []).filter(({ isOver }) => !isOver)
      const first = open.sort((a, b) => a.pk - b.pk).slice(0, limit)
      return { names: first.map(({ name }) => name), count: open.length }
    })
  },
  'slot.list': async (tx: Transaction, input: ListInput) => {
    const { records, next } = await listRecords(tx, 'slot', input)
    return { items: records.map((record) => rowOf(record as SlotRecord)), next }
  },
  /** All of it or nothing: a part of a pipeline would wait for what nobody makes. */
  'pipeline.build': async (tx: Transaction, given: Input<'pipeline.build'>, context: Context) => {
    const held = await requireHeld(tx, given)
    const made = { attempt: { pk: held.guard.pk, attempt: held.job.attempt }, madeBy: held.job.id }
    for (const slot of checkArray(given.slots, 'slots', sizeMax)) await create(tx, slot as NewSlotInput, made, context)
    const submissions = checkArray(given.jobs, 'jobs', sizeMax) as Input<'pipeline.build'>['jobs']
    const results = await submit(tx, submissions)
    const wrong = results.find((result) => result.outcome === 'refused')
    if (wrong !== undefined) throw wrong.error
    return null
  },
}

/** Of so many jobs what they wait for can be asked at once. */
const awaitedMax = 1_000

/** The most jobs, and slots, of one pipeline. */
const sizeMax = 20_000

interface Maker {
  readonly attempt: Attempt | null
  readonly madeBy: string | null
}

async function create(
  tx: Transaction,
  given: NewSlotInput,
  { attempt, madeBy }: Maker,
  context: Context,
): Promise<SlotRecord> {
  const { id, path: at, label, dueAt: due, value: text } = checkObject(given, 'a slot') as NewSlotInput
  const path = checkPath(at)
  const dueAt = checkOptionalInstant(due, 'dueAt')
  const value = dueAt === null ? null : checkJsonText(text ?? null, 'value')
  await leavePath(tx, path)
  const { slot: body, events } = createSlot({ label: checkOptionalText(label, 'label', 255), dueAt, value, madeBy })
  const record = { kind: 'slot', id: checkUuid(id, 'id'), path, body, events, dueAt, parent: attempt } as const
  return await createRecord(tx, record, context)
}

/** A slot that is settled has its path until another wants it. */
async function leavePath(tx: Transaction, path: string): Promise<void> {
  const [holder] = (await tx.records.find('slot', [path], 'change')) as readonly SlotRecord[]
  if (holder === undefined || holder.body.status === 'OPEN') return
  await writeStep(tx, holder, { body: holder.body, events: [], released: true }, {})
}

async function requireSlot(tx: Transaction, ref: unknown, namespace?: string): Promise<SlotRecord> {
  const record = (await requireRecord(tx, 'slot', ref, 'change')) as SlotRecord
  if (namespace === undefined || record.namespace === namespace) return record
  throw missingRecord('slot', ref)
}

function rowOf({ id, path, namespace, version, createdAt, updatedAt, body }: SlotRecord): SlotRow {
  return {
    id,
    path,
    namespace,
    ...body,
    value: body.status === 'FILLED' ? body.value : null,
    version,
    createdAt,
    updatedAt,
  }
}
