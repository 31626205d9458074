import { StintError } from '../core/errors.ts'
import type { JobSpec } from '../core/job/job.ts'
import { JobName } from '../core/names/job-name.ts'
import type { Awaitable } from './awaitable.ts'
import type { StoredJob } from './store.ts'
import type { Draft } from './submission.ts'
import type { Transaction } from './transaction.ts'

/** A submission on its way. */
interface Asking {
  readonly draft: Draft
}

export type Waits = ReadonlyMap<number, readonly number[]>

/**
 * The jobs in the way, and what those of them that are pending wait for. Whoever replaces holds them all first, so that
 * none can end between this look and the write: a job must not wait for an end that has passed.
 */
export async function meetHolders(
  tx: Transaction,
  entries: readonly Asking[],
): Promise<{ holders: Holders; waits: Waits }> {
  const wanted = wantedBy(entries)
  if (entries.every(({ draft }) => draft.onConflict !== 'replace')) {
    return { holders: new Holders(await tx.holders(wanted)), waits: new Map() }
  }
  const locked = new Set<string>()
  for (;;) {
    const met = await tx.holders(wanted)
    const waits = await waitsOf(tx, met)
    const ahead = await tx.loadByKey([...waits.values()].flat())
    const loose = [...met, ...ahead].map(({ job }) => job.id).filter((id) => !locked.has(id))
    if (loose.length === 0) return { holders: new Holders(met), waits: waitsFor(met, ahead, waits) }
    // Others may have come while this waited for the lock: it looks again until it holds all that it sees.
    await tx.lock(loose)
    for (const id of loose) locked.add(id)
  }
}

function waitsOf(tx: Transaction, jobs: readonly StoredJob[]): Awaitable<Waits> {
  return tx.waitsOf(jobs.filter(({ job }) => job.phase === 'pending').map(({ guard }) => guard.pk))
}

/** Only ends of jobs are waited for in place of another: that it waits for its group, or needs a value, concerns itself alone. */
function waitsFor(met: readonly StoredJob[], ahead: readonly StoredJob[], waits: Waits): Waits {
  const idOf = new Map(ahead.map(({ job, guard }) => [guard.pk, job.id]))
  return new Map(
    met.map(({ job, guard }) => {
      const needed = new Set(job.needs?.list.map(({ of }) => of))
      const awaited = (waits.get(guard.pk) ?? []).filter((pk) => idOf.has(pk) && !needed.has(idOf.get(pk) ?? ''))
      return [guard.pk, awaited]
    }),
  )
}

function wantedBy(entries: readonly Asking[]) {
  return {
    ids: entries.map(({ draft }) => draft.spec.id),
    names: entries.map(({ draft }) => draft.spec.name),
    keys: entries.flatMap(({ draft: { namespace, spec } }) => {
      return spec.key === null ? [] : [{ namespace, type: spec.type, key: spec.key }]
    }),
  }
}

/** Who holds the ids, names and keys that a round asks for. */
export class Holders {
  readonly #jobs = new Map<string, StoredJob>()
  readonly #claimed = new Set<string>()

  constructor(jobs: readonly StoredJob[]) {
    for (const stored of jobs) {
      this.#jobs.set(`id ${stored.job.id}`, stored)
      if (stored.guard.released) continue
      for (const handle of handlesOf(stored.job, stored.guard.namespace)) this.#jobs.set(handle, stored)
    }
  }

  of({ spec, namespace }: Draft): readonly StoredJob[] | 'this round' {
    const handles = [`id ${spec.id}`, ...handlesOf(spec, namespace)]
    if (handles.some((handle) => this.#claimed.has(handle))) return 'this round'
    const met = handles.flatMap((handle) => this.#jobs.get(handle) ?? [])
    return [...new Set(met)]
  }

  claim({ spec, namespace }: Draft): void {
    for (const handle of [`id ${spec.id}`, ...handlesOf(spec, namespace)]) this.#claimed.add(handle)
  }
}

/** What only one live job can have. */
function handlesOf(spec: Pick<JobSpec, 'name' | 'type' | 'key'>, namespace: string): readonly string[] {
  const name = `name ${spec.name}`
  return spec.key === null ? [name] : [name, `key ${namespace} ${spec.type} ${spec.key}`]
}

/** A client that lost the answer submits again with the id that it made: the job is there, and that is success. */
export function isRepetition(stored: StoredJob, { spec }: Draft): boolean {
  const { job } = stored
  const same = job.name === spec.name && job.type === spec.type && job.key === spec.key
  // The values that it needed may stand in its params since.
  const sameParams = job.paramsDigest === spec.paramsDigest || (job.needs !== null && spec.needs !== null)
  return same && sameParams && job.groupId === spec.groupId
}

export function idTaken(id: string): StintError {
  return new StintError('id_taken', `Another job has the id ${id} already.`, { jobId: id })
}

export function taken({ spec }: Draft, holder: StoredJob): StintError {
  const { id, name } = holder.job
  const details = { holder: id, name: spec.name }
  if (name === spec.name)
    return new StintError('name_taken', `Job ${id} has the name ${name} and is not final.`, details)
  const message = `Job ${id} (${name}) has type ${spec.type} and key ${spec.key} and is not final.`
  return new StintError('key_taken', message, { ...details, type: spec.type, key: spec.key })
}

/** The error for one in the way whom the caller cannot see; null when they can see all. */
export function takenElsewhere({ spec, within }: Draft, holders: readonly StoredJob[]): StintError | null {
  const holder = holders.find(({ job }) => within !== null && !within.isAncestorOf(JobName.parse(job.name)))
  if (holder === undefined) return null
  if (holder.job.id === spec.id) return idTaken(spec.id)
  const message = `Another job has type ${spec.type} and key ${spec.key} and is not final.`
  return new StintError('key_taken', message, { name: spec.name, type: spec.type, key: spec.key })
}

export function inOtherGroup({ spec: { groupId } }: Draft, { job }: StoredJob): StintError {
  const where = job.groupId === null ? 'in no group' : `in group ${job.groupId}`
  const message = `Job ${job.id} (${job.name}) is ${where} and cannot be a member of group ${groupId}.`
  return new StintError('in_other_group', message, {
    holder: job.id,
    name: job.name,
    groupId,
    holderGroupId: job.groupId,
  })
}
