import type { JobEvent } from '../../src/core/job/events.ts'
import { evolve } from '../../src/core/job/evolve.ts'
import type { Job } from '../../src/core/job/job.ts'
import { GateRules } from './gate-rules.ts'
import { GroupRules } from './group-rules.ts'
import { ShardRules } from './shard-rules.ts'
import { ShareRules } from './share-rules.ts'
import { SlotRules } from './slot-rules.ts'
import type { Incarnation } from './virtual-clock.ts'

export interface Seen {
  readonly job: Job
  /** The attempt that submitted it, by job and number; null when no handler did. */
  readonly parent: { readonly jobId: string; readonly attempt: number } | null
  /** Attempts whose end the log tells. */
  readonly ended: ReadonlySet<number>
  /** Attempts that ended without completing, other than by a snooze: their children must end, too. */
  readonly failed: ReadonlySet<number>
}

/** All jobs, derived from the log alone: what the store says beside it is held against this. */
export class Mirror {
  readonly #jobs = new Map<string, Seen>()
  readonly #children = new Map<string, string[]>()
  /** Which life of a process took an attempt, by its token. */
  readonly claimedBy = new Map<string, Incarnation>()
  /** Workers that were registered and neither found lost nor retired. */
  readonly living = new Set<string>()
  /** How many jobs each lost worker held when it was found lost. */
  readonly lostWith = new Map<string, number>()
  readonly gates = new GateRules()
  readonly groups = new GroupRules()
  readonly shares = new ShareRules()
  readonly shards = new ShardRules()
  readonly slots = new SlotRules()

  get(jobId: string): Seen | undefined {
    return this.#jobs.get(jobId)
  }

  all(): IterableIterator<Seen> {
    return this.#jobs.values()
  }

  jobs(): readonly Job[] {
    return [...this.#jobs.values()].map(({ job }) => job)
  }

  childrenOf(jobId: string): readonly Seen[] {
    return (this.#children.get(jobId) ?? []).flatMap((id) => this.#jobs.get(id) ?? [])
  }

  runningOn(workerId: string): readonly Seen[] {
    return [...this.#jobs.values()].filter(({ job }) => job.phase === 'running' && job.workerId === workerId)
  }

  /** Whether this token is the right to write at this moment. */
  isCurrent(jobId: string, token: string): boolean {
    const job = this.#jobs.get(jobId)?.job
    return job?.phase === 'running' && job.token === token
  }

  noteParent(jobId: string, parentId: string): void {
    const seen = this.#jobs.get(jobId)
    const attempt = this.#jobs.get(parentId)?.job.attempt
    if (seen === undefined || attempt === undefined || seen.parent !== null) return
    this.#jobs.set(jobId, { ...seen, parent: { jobId: parentId, attempt } })
    this.#children.set(parentId, [...(this.#children.get(parentId) ?? []), jobId])
  }

  /** Folds one event in and gives the job before and after it. */
  fold(event: JobEvent): { readonly before: Seen | null; readonly after: Seen } {
    const before = this.#jobs.get(event.jobId) ?? null
    const after: Seen = {
      job: evolve(before?.job ?? null, event),
      parent: before?.parent ?? null,
      ended: before?.ended ?? new Set(),
      failed: before?.failed ?? new Set(),
    }
    this.#jobs.set(event.jobId, { ...after, ...endedBy(after, event) })
    return { before, after }
  }
}

function endedBy({ ended, failed }: Seen, event: JobEvent): Partial<Seen> {
  if (event.type === 'job.run.completed') return { ended: new Set([...ended, event.data.attempt]) }
  if (event.type === 'job.run.skipped') return { ended: new Set([...ended, 0]) }
  if (event.type !== 'job.run.failed') return {}
  const { attempt, reason } = event.data
  return {
    ended: new Set([...ended, attempt]),
    ...(reason === 'snoozed' ? {} : { failed: new Set([...failed, attempt]) }),
  }
}
