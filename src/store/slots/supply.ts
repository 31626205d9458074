import type { Job } from '../../core/job/job.ts'
import { isUnresolved } from '../../core/slot/needs.ts'
import type { Slot } from '../../core/slot/slot.ts'
import type { Hold, StoredRecord } from '../records.ts'
import type { StoredJob } from '../store.ts'
import { heldJobs } from '../touch.ts'
import type { Transaction } from '../transaction.ts'

/** A job or a slot, as those see it who wait for its value. */
export interface Supply {
  readonly pk: number
  readonly id: string
  /** Name of the job, or path of the slot. */
  readonly name: string
  readonly namespace: string
  /** Whether it has a value, or will never have one. */
  readonly isOver: boolean
  /** JSON text. */
  readonly value: string | null
  /** Why it will never have a value; null when it has one, or may get one. */
  readonly error: string | null
}

export type SlotRecord = StoredRecord<Slot>

/** By UUID. Those that are known already are not read; what nobody knows is missing. */
export async function suppliesOf(
  tx: Transaction,
  ids: readonly string[],
  known: readonly Supply[] = [],
): Promise<ReadonlyMap<string, Supply>> {
  const supplies = new Map(known.map((supply) => [supply.id, supply]))
  const others = ids.filter((id) => !supplies.has(id))
  if (others.length === 0) return supplies
  return new Map([...supplies, ...(await withSlots(tx, others, await tx.load(others), 'read'))])
}

/** The same for those who begin to wait: what they see stays as it is until the end of the transaction. */
export async function heldSupplies(tx: Transaction, ids: readonly string[]): Promise<ReadonlyMap<string, Supply>> {
  return ids.length === 0 ? new Map() : await withSlots(tx, ids, await heldJobs(tx, ids), 'keep')
}

async function withSlots(
  tx: Transaction,
  ids: readonly string[],
  jobs: readonly StoredJob[],
  hold: Hold,
): Promise<ReadonlyMap<string, Supply>> {
  const found = new Map(jobs.map(supplyOfJob).map((supply) => [supply.id, supply]))
  const others = ids.filter((id) => !found.has(id))
  if (others.length === 0) return found
  for (const record of (await tx.records.find('slot', others, hold)) as readonly SlotRecord[]) {
    found.set(record.id, supplyOfSlot(record))
  }
  return found
}

/** UUIDs of what a job waits for the values of. */
export function awaitedBy(job: Job): readonly string[] {
  if (job.phase === 'awaiting') return job.output === null ? [] : [job.output]
  return job.phase === 'pending' && isUnresolved(job) ? job.needs.list.map(({ of }) => of) : []
}

/** The output of a job is its result. */
export function supplyOfJob({ job, result, guard: { pk, namespace } }: StoredJob): Supply {
  const { id, name } = job
  if (job.state !== 'final') return { pk, id, name, namespace, isOver: false, value: null, error: null }
  const hasValue = job.outcome === 'COMPLETED' && !job.cancelled
  const error = hasValue ? null : `${name} ${howEnded(job)}: ${job.error}`
  return { pk, id, name, namespace, isOver: true, value: hasValue ? (result ?? 'null') : null, error }
}

function howEnded({ cancelled, outcome }: StoredJob['job']): string {
  if (cancelled) return 'was cancelled'
  return outcome === 'SKIPPED' ? 'was skipped' : 'failed'
}

export function supplyOfSlot({ pk, id, path: name, namespace, body }: SlotRecord): Supply {
  const isOver = body.status !== 'OPEN'
  const error = body.status === 'FAILED' ? `${name} has no value: ${body.error}` : null
  return { pk, id, name, namespace, isOver, value: body.status === 'FILLED' ? body.value : null, error }
}
