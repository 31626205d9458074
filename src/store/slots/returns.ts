import { StintError } from '../../core/errors.ts'
import type { Ending } from '../../core/job/commands.ts'
import type { Job } from '../../core/job/job.ts'
import type { StoredJob } from '../store.ts'
import type { Change, Transaction } from '../transaction.ts'
import { awaitedBy, heldSupplies, suppliesOf } from './supply.ts'

type Returning = Extract<Ending, { kind: 'suspended' }>

/** The end of an attempt, and the text of its result if it has one. */
export interface Returned {
  readonly ending: Ending
  readonly result: string | null
}

/**
 * An attempt gives the value of another as its result. If that has its value already, or will never have one, it ends at
 * once.
 */
export async function returned(tx: Transaction, { job, guard }: StoredJob, ending: Returning): Promise<Returned> {
  const { output = '' } = ending
  const supply = (await heldSupplies(tx, [output])).get(output)
  if (supply === undefined || supply.namespace !== guard.namespace) {
    throw unknownOutput(output, guard.namespace)
  }
  await requireNoCycle(tx, job, output)
  if (!supply.isOver) return { ending, result: null }
  if (supply.error === null) return { ending: { kind: 'completed', resultDigest: null }, result: supply.value }
  return { ending: { kind: 'failed', error: supply.error, terminal: true, random: 0 }, result: null }
}

/** What another namespace has is not to be seen, not even that it is there. */
export function unknownOutput(output: string, namespace: string): StintError {
  const rule = `must be a job or a slot of the namespace ${namespace}`
  return new StintError('invalid_argument', `output ${rule}; got ${output}.`, { field: 'output', rule })
}

const visitMax = 100_000

/** Whoever waits for somebody who waits for them waits for ever. */
async function requireNoCycle(tx: Transaction, { id, name }: Job, output: string): Promise<void> {
  const seen = new Set<string>([output])
  for (let open: readonly string[] = [output]; open.length > 0 && seen.size < visitMax; ) {
    const next = (await tx.load(open)).flatMap(({ job }) => awaitedBy(job)).filter((other) => !seen.has(other))
    open = [...new Set(next)]
    for (const other of open) seen.add(other)
  }
  if (seen.has(id)) throw new StintError('cycle', `Job ${name} would wait for its own end.`, { jobId: id, output })
}

/**
 * Attempts that wait for the value of another from now on. Gives the row keys of those that need not: what they wait for has
 * ended in the same batch.
 */
export async function awaitOutputs(tx: Transaction, changes: readonly Change[]): Promise<readonly number[]> {
  const waiting = changes.filter(isReturning)
  if (waiting.length === 0) return []
  const supplies = await suppliesOf(
    tx,
    waiting.map(({ after }) => after.job.output ?? ''),
  )
  const waits = waiting.flatMap(({ after: { job, guard } }) => {
    const supply = supplies.get(job.output ?? '')
    return supply === undefined || supply.isOver ? [] : [{ job: guard.pk, on_job: supply.pk }]
  })
  await tx.addWaits(waits)
  const isWaiting = new Set(waits.map(({ job }) => job))
  return waiting.map(({ after }) => after.guard.pk).filter((pk) => !isWaiting.has(pk))
}

function isReturning({ after: { job }, events }: Change): boolean {
  return job.phase === 'awaiting' && job.output !== null && events.some(({ type }) => type === 'job.run.suspended')
}
