import { endAll } from './end-all.ts'
import { endMembers, releaseMembers } from './groups/pages.ts'
import { failSlots } from './slots/settle.ts'
import { type SlotRecord, supplyOfJob, supplyOfSlot } from './slots/supply.ts'
import { finish } from './submit.ts'
import { type FollowUp, followUpKinds, type Transaction } from './transaction.ts'
import { wake, wakeSome } from './write.ts'

/**
 * A decision that concerns many jobs leaves a row behind, and this carries it out page by page, each page a transaction:
 * whatever crashes in between, the row says how far it is. Tells whether there was anything to do.
 */
export async function followUp(
  tx: Transaction,
  { limit, skip }: { readonly limit: number; readonly skip: number },
): Promise<boolean> {
  const found = await tx.takeFollowUp(skip)
  if (found === null) return false
  const left = await carryOut(tx, found, limit)
  await tx.saveFollowUp(found.pk, left === null ? null : JSON.stringify(left))
  if (left === null && found.kind === followUpKinds.cancelChildren) await letGoOn(tx, found.job ?? 0)
  return true
}

/** A job that waited for the end of what it had submitted no longer waits for this follow-up. */
async function letGoOn(tx: Transaction, pk: number): Promise<void> {
  if (await tx.endOwnWait(pk)) await finish(tx, await wake(tx, [pk]))
}

type CarryOut = (tx: Transaction, found: FollowUp, limit: number) => Promise<object | null>

/** Does a page of it and tells what is left; null when it is done. */
async function carryOut(tx: Transaction, found: FollowUp, limit: number): Promise<object | null> {
  const kind = Object.entries(followUpKinds).find(([, number]) => number === found.kind)?.[0]
  return await carriedOutBy[kind as keyof typeof followUpKinds](tx, found, limit)
}

interface GateLeft {
  readonly gate: number
  /** How many more may leave it; null for all. */
  readonly left: number | null
}

async function openFurther(tx: Transaction, { data }: FollowUp, limit: number): Promise<GateLeft | null> {
  const { gate, left }: GateLeft = JSON.parse(data)
  const count = Math.min(limit, left ?? limit)
  const opened = await tx.gates.openGate(gate, count)
  if (opened < count || left === count) return null
  return { gate, left: left === null ? null : left - count }
}

interface ChildrenLeft {
  readonly attempt: number
  /** Key of the last child that was asked. */
  readonly after: number
}

/** Cancels the jobs of a failed attempt. Those that run and have to stop first keep their parent waiting. */
async function cancelChildren(tx: Transaction, { job, data }: FollowUp, limit: number): Promise<ChildrenLeft | null> {
  const { attempt, after }: ChildrenLeft = JSON.parse(data)
  const parent = job ?? 0
  const pks = await tx.children({ pk: parent, attempt }, after, limit)
  const reason = `Attempt ${attempt} of the job that submitted it failed.`
  await failSlots(tx, pks, `Attempt ${attempt} of the job that made it failed.`)
  const live = await endAll(tx, pks, { how: 'cancel', reason, actor: null })
  if (live.length > 0 && (await isWaiting(tx, parent))) {
    await tx.addWaits(live.map(({ guard }) => ({ job: parent, on_job: guard.pk })))
  }
  return pks.length < limit ? null : { attempt, after: pks.at(-1) ?? after }
}

/** A parent that is over, or that somebody has let go on, waits for nobody. It is held, so that it cannot end until it does. */
async function isWaiting(tx: Transaction, pk: number): Promise<boolean> {
  const [found] = await tx.loadByKey([pk])
  if (found === undefined) return false
  await tx.lock([found.job.id])
  const [held] = await tx.loadByKey([pk])
  return held?.job.phase === 'pending'
}

/** Lets more of those go on who wait for an end that was. */
async function wakeFurther(tx: Transaction, { job }: FollowUp, limit: number): Promise<object | null> {
  const pks = [job ?? 0]
  const slots = (await tx.records.byKey('slot', pks, 'read')) as readonly SlotRecord[]
  const ended = [...(await tx.loadByKey(pks)).map(supplyOfJob), ...slots.map(supplyOfSlot)]
  const { done, isMore } = await wakeSome(tx, ended, limit)
  await finish(tx, done)
  return isMore ? {} : null
}

export interface BranchLeft {
  readonly name: string
  readonly reason: string
  readonly actor: string | null
  /** `down`: those that run are asked, parents first, so that nothing new starts below. `up`: the rest ends, leaves first. */
  readonly direction: 'down' | 'up'
  readonly from: string | null
}

async function cancelBranch(tx: Transaction, { data }: FollowUp, limit: number): Promise<BranchLeft | null> {
  const left: BranchLeft = JSON.parse(data)
  const { name, from, direction, reason, actor } = left
  const page = await tx.branch({ name, from, direction, limit })
  const chosen = direction === 'up' ? page : page.filter(({ job }) => job.phase === 'running')
  const pks = chosen.map(({ guard }) => guard.pk)
  await endAll(tx, pks, { how: 'cancel', reason, actor })
  if (page.length === limit) return { ...left, from: page.at(-1)?.job.name ?? null }
  return direction === 'down' ? { ...left, direction: 'up', from: null } : null
}

const carriedOutBy: Readonly<Record<keyof typeof followUpKinds, CarryOut>> = {
  cancelChildren,
  cancelBranch,
  openGate: openFurther,
  releaseMembers,
  endMembers,
  wakeWaiters: wakeFurther,
}
