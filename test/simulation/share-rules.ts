import type { Job } from '../../src/core/job/job.ts'
import { notAfter } from '../../src/store/change.ts'
import type { ClaimRequest, NewWorker } from '../../src/store/store.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import { isWithin } from './gate-rules.ts'
import type { Applied } from './network.ts'
import type { Sometimes } from './sometimes.ts'

/** What a claim was asked for, what it took, and all jobs as they are after it. */
export interface SeenClaim {
  readonly request: ClaimRequest
  readonly claimed: readonly Job[]
  readonly jobs: readonly Job[]
  readonly hasGate: (job: Job) => boolean
}

/** Who may take which jobs: the branches that workers are bound to, and the turns of namespaces. */
export class ShareRules {
  /** Of workers that are bound. */
  readonly #paths = new Map<string, readonly string[]>()

  note({ method, args, result }: Applied): void {
    if (method !== 'register' || 'error' in result) return
    const { id, paths } = args[0] as NewWorker
    if (paths) this.#paths.set(id, paths)
  }

  /** An attempt has started. */
  checkStart({ id, name, workerId }: Job, sometimes: Sometimes): void {
    const paths = this.#paths.get(workerId ?? '')
    if (paths === undefined) return
    sometimes.hit('started by a bound worker')
    if (paths.some((path) => isWithin(path, name))) return
    throw new BrokenInvariant(
      'I17 WithinPaths',
      `${id} ${name} was given to ${workerId}, bound to ${paths.join(', ')}.`,
    )
  }

  /**
   * After a claim in turns, a namespace that still has a job without a gate before it has got as many as any other, or one
   * less if its turn comes later. And the jobs come one turn after the other.
   */
  checkTurns(claim: SeenClaim, sometimes: Sometimes): void {
    const { request, claimed } = claim
    if (!request.fairness) return
    const { after } = request.fairness
    const counts = countsOf(claimed)
    for (const waiting of new Set(leftBehind(claim).map(namespaceOf))) {
      for (const [other, count] of counts) {
        const isLater = placeOf(waiting, after) > placeOf(other, after)
        if (waiting !== other) sometimes.hit('turns were shared')
        if ((counts.get(waiting) ?? 0) >= count - (isLater ? 1 : 0)) continue
        const told = `${other} got ${count} and ${waiting} got ${counts.get(waiting) ?? 0}, after ${after}`
        throw new BrokenInvariant('I18 InTurns', `In a claim of ${request.workerId} ${told}, and ${waiting} has more.`)
      }
    }
    const turns = turnsOf(claimed, after)
    if (turns.every((turn, i) => i === 0 || isBefore(turns[i - 1] ?? turn, turn))) return
    throw new BrokenInvariant('I18 InTurns', `Claimed after ${after}: ${claimed.map(({ name }) => name).join(', ')}.`)
  }
}

/** Jobs that the claim could have taken. */
function leftBehind({ request, claimed, jobs, hasGate }: SeenClaim): readonly Job[] {
  // An attempt that goes on has started long before.
  const now = Math.min(...claimed.map(({ updatedAt }) => updatedAt))
  return jobs.filter((job) => {
    const isInTime = job.scheduledFor <= now && (notAfter(job) ?? Number.POSITIVE_INFINITY) > now
    return job.phase === 'queued' && !job.suspect && isInTime && isAskedFor(request, job) && !hasGate(job)
  })
}

export function isAskedFor({ types, paths }: ClaimRequest, { type, name }: Job): boolean {
  return types.includes(type) && (!paths || paths.some((path) => isWithin(path, name)))
}

export function namespaceOf({ name }: Job): string {
  return name.split('/')[1] ?? ''
}

function countsOf(jobs: readonly Job[]): ReadonlyMap<string, number> {
  const byNamespace = Map.groupBy(jobs, namespaceOf)
  return new Map([...byNamespace].map(([namespace, of]) => [namespace, of.length]))
}

/** As a text that is the greater, the later the turn of a namespace comes. */
function placeOf(namespace: string, after: string | null): string {
  return after === null || namespace > after ? `1 ${namespace}` : `2 ${namespace}`
}

type Turn = readonly [nth: number, place: string]

function turnsOf(jobs: readonly Job[], after: string | null): readonly Turn[] {
  return jobs.map((job, i): Turn => {
    const namespace = namespaceOf(job)
    const nth = jobs.slice(0, i).filter((other) => namespaceOf(other) === namespace).length
    return [nth, placeOf(namespace, after)]
  })
}

function isBefore([aNth, aPlace]: Turn, [bNth, bPlace]: Turn): boolean {
  return aNth < bNth || (aNth === bNth && aPlace < bPlace)
}
