import type { Limit, LimitInput } from '../../src/core/gates/limit.ts'
import type { JobEvent } from '../../src/core/job/events.ts'
import type { Job } from '../../src/core/job/job.ts'
import { notAfter } from '../../src/store/change.ts'
import type { PauseRequest, Submission, SubmitResult } from '../../src/store/store.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import type { Applied } from './network.ts'
import type { Sometimes } from './sometimes.ts'

interface KnownLimit extends Limit {
  /** How many attempts had started when there was this limit for the first time, and this length of its rate. */
  readonly since: number
  readonly rateSince: number
}

interface Start {
  readonly job: Job
  readonly at: number
}

/** Limits and pauses as calls have set them, and every start that the log tells: nothing of what a store counts itself. */
export class GateRules {
  readonly #limits = new Map<string, KnownLimit>()
  readonly #paths = new Set<string>()
  readonly #types = new Set<string>()
  readonly #starts: Start[] = []
  /** The number of the newest start of each job. */
  readonly #newest = new Map<string, number>()

  /** Takes in what a call has set. */
  note({ method, args, result }: Applied, sometimes: Sometimes): void {
    if ('error' in result) return
    const [given] = args
    if (method === 'setLimit') this.#set(given as LimitInput)
    if (method === 'removeLimit') this.#limits.delete(given as string)
    if (method === 'setLimit' || method === 'removeLimit') sometimes.hit('limit changed')
    if (method === 'move') sometimes.hit('moved')
    if (method === 'pause' || method === 'resume') this.#notePause(method, given as PauseRequest)
    if (method === 'resume' && result.value === true) sometimes.hit('resumed')
    if (method !== 'submit') return
    const results = result.value as readonly SubmitResult[]
    for (const [i, { limits = [] }] of (given as readonly Submission[]).entries()) {
      const isMade = results[i]?.outcome === 'created' || results[i]?.outcome === 'skipped'
      if (isMade) for (const limit of limits) this.#set(limit)
    }
  }

  #set({ key, concurrency, rate }: LimitInput): void {
    const now = this.#starts.length
    const known = this.#limits.get(key) ?? { key, concurrency: null, rate: null, since: now, rateSince: now }
    // What started under a rate of another length was let go by that one.
    const isSameTime = rate === undefined || rate?.perMs === known.rate?.perMs
    this.#limits.set(key, {
      ...known,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(rate === undefined ? {} : { rate }),
      ...(isSameTime ? {} : { rateSince: now }),
    })
  }

  #notePause(method: 'pause' | 'resume', { path, type }: PauseRequest): void {
    const change = method === 'pause' ? 'add' : 'delete'
    if (path !== undefined) this.#paths[change](path)
    if (type !== undefined) this.#types[change](type)
  }

  /** An attempt has started. `jobs` are all, this one included. */
  checkStart(
    jobs: readonly Job[],
    { at, type }: Pick<JobEvent, 'at' | 'type'>,
    given: Job,
    sometimes: Sometimes,
  ): void {
    // An attempt that goes on holds its limits since it began, but for those of paths.
    const isNew = type === 'job.run.started'
    const job = isNew ? given : { ...given, limits: [] }
    if (isNew) this.#newest.set(job.id, this.#starts.length)
    this.#starts.push({ job, at })
    if (this.#isPaused(job)) {
      throw new BrokenInvariant('I14 PausedStays', `${job.id} ${job.name} of type ${job.type} started though paused.`)
    }
    for (const limit of this.#limits.values()) {
      if (!concerns(limit.key, job)) continue
      this.#checkConcurrency(limit, jobs, sometimes)
      this.#checkRate(limit, at, sometimes)
    }
  }

  #isPaused({ name, type }: Job): boolean {
    return this.#types.has(type) || [...this.#paths].some((path) => isWithin(path, name))
  }

  /** A limit that was removed and set again knows nothing of what started before; one of a path counts what runs there. */
  #checkConcurrency({ key, concurrency, since }: KnownLimit, jobs: readonly Job[], sometimes: Sometimes): void {
    if (concurrency === null) return
    const open = jobs.filter((job) => {
      const isOpen = isPath(key) ? isAtWork(job) : job.state === 'running'
      return isOpen && concerns(key, job) && (isPath(key) || (this.#newest.get(job.id) ?? 0) >= since)
    })
    if (open.length === concurrency) sometimes.hit(isPath(key) ? 'limit of a path reached' : 'limit reached')
    if (open.length <= concurrency) return
    const told = open.map(({ id, name, phase }) => `${id} ${name} ${phase}`).join(', ')
    throw new BrokenInvariant('I13 WithinLimits', `${key} lets ${concurrency} be open, and there are ${told}.`)
  }

  #checkRate({ key, rate, rateSince }: KnownLimit, at: number, sometimes: Sometimes): void {
    if (rate === null) return
    const recent = this.#starts.slice(rateSince).filter((start) => {
      return start.at > at - rate.perMs && concerns(key, start.job)
    })
    if (recent.length === rate.count) sometimes.hit('rate reached')
    if (recent.length <= rate.count) return
    const told = recent.map((start) => `${start.job.id} at ${start.at}`).join(', ')
    throw new BrokenInvariant(
      'I13 WithinLimits',
      `${key} lets ${rate.count} start in ${rate.perMs} ms; there were ${told}.`,
    )
  }

  /**
   * A claim takes those that are first: none that it passed over was ahead of one that it took, without a gate before it.
   * `isComparable` tells of two jobs whether the claim had to keep their order.
   */
  checkOrder(jobs: readonly Job[], claimed: readonly Job[], isComparable: (job: Job, other: Job) => boolean): void {
    const taken = claimed.filter(({ suspect }) => !suspect)
    if (taken.length === 0) return
    const waiting = jobs.filter((job) => job.phase === 'queued' && !job.suspect && !this.hasGate(job))
    for (const job of taken) {
      const now = job.updatedAt
      const passedOver = waiting.find((other) => {
        const isInTime = other.scheduledFor <= now && (notAfter(other) ?? Number.POSITIVE_INFINITY) > now
        return isComparable(job, other) && isInTime && isAhead(other, job)
      })
      if (passedOver === undefined) continue
      throw new BrokenInvariant('I16 InOrder', `${job.id} was taken, and ${passedOver.id} stood before it.`)
    }
  }

  hasGate(job: Job): boolean {
    const hasWidth = job.limits.some((key) => key.startsWith('group:'))
    return hasWidth || this.#isPaused(job) || [...this.#limits.keys()].some((key) => concerns(key, job))
  }
}

/** A job that waits for its tasks, or for the value of another, is not: they are. */
function isAtWork({ phase, shards, output }: Job): boolean {
  return phase === 'running' || (phase === 'awaiting' && shards === null && output === null)
}

function isAhead(a: Job, b: Job): boolean {
  return a.priority > b.priority || (a.priority === b.priority && a.position < b.position)
}

function isPath(key: string): boolean {
  return key.startsWith('/')
}

function concerns(key: string, { name, limits }: Job): boolean {
  return isPath(key) ? isWithin(key, name) : limits.includes(key)
}

/** Component by component, and not by a rule that stores use as well. */
export function isWithin(path: string, name: string): boolean {
  const components = name.split('/')
  return path.split('/').every((component, i) => component === components[i])
}
