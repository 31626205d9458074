import { replay } from '../core/job/evolve.ts'
import { elapsesAt, type Job, type Run, seatOf, waitsForOthers } from '../core/job/job.ts'
import { runsOf } from './change.ts'
import { type Difference, same } from './difference.ts'
import { digestOf } from './digest.ts'
import { outsideEvent } from './event-row.ts'
import { groupDifferences } from './groups/differences.ts'
import { shardDifferences } from './shards/differences.ts'
import type { AuditedJob, AuditPage, SeatRow, Store } from './store.ts'

export type { Difference }

const pageSize = 1_000

/** Derives every job again from its events, counts groups anew, and reports each difference. Reads only; may run while others work. */
export async function verify(store: Store): Promise<readonly Difference[]> {
  const differences: Difference[] = []
  let reading: Promise<AuditPage> | null = store.audit({ after: null, limit: pageSize })
  while (reading !== null) {
    const page: AuditPage = await reading
    // The next page is read while this one is derived.
    reading = page.next === null ? null : store.audit({ after: page.next, limit: pageSize })
    for (const audited of page.jobs) differences.push(...differencesOf(audited), ...shardDifferences(audited))
    for (const audited of page.groups) differences.push(...groupDifferences(audited))
    for (const { seat, job, revision } of page.strays) {
      differences.push({ jobId: null, field: 'seat', stored: { seat, row: job, revision }, derived: null })
    }
  }
  return differences
}

export function differencesOf(audited: AuditedJob): readonly Difference[] {
  const { stored, own, outside, runs, seats, waitsFor, deadlines, handles } = audited
  const jobId = stored.job.id
  const found: Difference[] = []
  const compare = (field: string, left: unknown, right: unknown) => {
    if (!same(left, right)) found.push({ jobId, field, stored: left, derived: right })
  }
  const derived = attempt(() => replay(own, outside.map(outsideEvent)))
  if (derived instanceof Error || derived === null) {
    const why = derived === null ? 'no events' : derived.message
    return [{ jobId, field: 'events', stored: own.map(({ type, version }) => `${version} ${type}`), derived: why }]
  }
  for (const field of fieldsOf(derived)) compare(field, stored.job[field], derived[field])
  compare('params', digestOf(stored.params), derived.paramsDigest)
  compare('result', digestOf(stored.result), derived.resultDigest)
  compare('runs', runs, runsOf(null, own) satisfies readonly Run[])
  compareSeat(compare, derived, stored.guard.revision, seats)
  compare('waits', waitsFor.length > 0, waitsForOthers(derived))
  const at = elapsesAt(derived)
  compare('deadline', deadlines, at === null ? [] : [at])
  if (derived.state === 'final') compare('released', stored.guard.released, true)
  const held = derived.key === null ? ['name'] : ['name', 'key']
  compare('handles', [...handles].sort().reverse(), stored.guard.released ? [] : held)
  return found
}

/** A queued job has one seat, ready or delayed, a running one its claim, each with the revision of the job. */
function compareSeat(
  compare: (field: string, left: unknown, right: unknown) => void,
  job: Job,
  revision: number,
  seats: readonly SeatRow[],
): void {
  const found = seats.map((seat) => ({ seat: seat.seat === 'claim' ? 'claim' : 'queue', revision: seat.revision }))
  // Whether a delayed job that is due stands among the ready ones yet is a matter of the next claim.
  const seat = seatOf(job, 0)
  const expected = seat === 'none' ? [] : [{ seat: seat === 'claim' ? 'claim' : 'queue', revision }]
  compare('seat', found, expected)
}

function fieldsOf(job: Job): readonly (keyof Job)[] {
  return Object.keys(job) as (keyof Job)[]
}

function attempt<T>(derive: () => T): T | Error {
  try {
    return derive()
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
