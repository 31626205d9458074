import { StintError } from '../../core/errors.ts'
import type { Context } from '../../core/job/commands.ts'
import { failSlot, type Slot, type SlotStep } from '../../core/slot/slot.ts'
import { writeStep } from '../control/record-steps.ts'
import { finish } from '../submit.ts'
import type { Transaction } from '../transaction.ts'
import { wakeWaiters } from '../write.ts'
import { type SlotRecord, supplyOfSlot } from './supply.ts'

/** Writes what slots, which must be held, have become, and tells those who waited for them. */
export async function settleSlots(
  tx: Transaction,
  steps: readonly { readonly record: SlotRecord; readonly step: SlotStep; readonly released?: boolean }[],
  context: Context,
): Promise<readonly SlotRecord[]> {
  const settled: SlotRecord[] = []
  for (const { record, step, released = record.released } of steps) {
    const { slot: body, events } = step
    const isSame = events.length === 0 && released === record.released
    settled.push(isSame ? record : await writeStep(tx, record, { body, events, released, dueAt: dueOf(body) }, context))
  }
  const over = settled.filter(({ body }, i) => body.status !== 'OPEN' && steps[i]?.record.body.status === 'OPEN')
  await finish(tx, await wakeWaiters(tx, over.map(supplyOfSlot)))
  return settled
}

function dueOf({ status, dueAt }: Slot): number | null {
  return status === 'OPEN' ? dueAt : null
}

/** Of these row keys, those that are slots: what made them has failed, so they leave their paths, and nobody fills them. */
export async function failSlots(tx: Transaction, pks: readonly number[], error: string): Promise<void> {
  const records = (await tx.records.byKey('slot', pks, 'change')) as readonly SlotRecord[]
  const steps = records.map((record) => ({ record, step: failSlot(record.body, error, tx.now), released: true }))
  await settleSlots(tx, steps, {})
}

/** What an attempt made can be filled until that fails, also before upkeep has seen to it. */
export async function requireMakerAlive(tx: Transaction, { parent, path }: SlotRecord): Promise<void> {
  if (parent === null) return
  const [maker] = await tx.loadByKey([parent.pk])
  if (maker === undefined) return
  const { job } = maker
  // A snooze goes on with what it began; what has failed waits for the end of all that it made.
  const isFailed = job.state === 'error' && job.phase === 'pending'
  const isInVain = job.state === 'final' && (job.cancelled || job.outcome !== 'COMPLETED')
  if (!isFailed && !isInVain) return
  const message = `The attempt of ${job.name} that made the slot ${path} failed or was cancelled: it will have no value.`
  throw new StintError('slot_closed', message, { path, rule: 'must be open' })
}
