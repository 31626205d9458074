import type { JobEvent } from '../../src/core/job/events.ts'
import type { Job } from '../../src/core/job/job.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import type { Sometimes } from './sometimes.ts'
import { shardWidth } from './workload.ts'

/** What must be so of tasks whenever the log grows by an event of one. */
export class ShardRules {
  /** The states that each attempt at a task has had, by digest. */
  readonly #states = new Map<string, Set<string | null>>()
  /** The tasks that are open, by their job. */
  readonly #open = new Map<string, Set<string>>()

  fold(event: JobEvent, before: Job | null, after: Job, sometimes: Sometimes): void {
    if (event.type === 'job.run.queued') sometimes.hit('tasks gathered')
    const { task } = after
    if (task === null) return
    if (event.type === 'task.slice.failed') sometimes.hit('slice repeated')
    if (event.type === 'job.run.failed' && after.state === 'error') sometimes.hit('task begun anew')
    if (event.type === 'task.slice.completed') this.#checkSlice(event.data.seq, before, after)
    this.#checkWidth(task.of, after)
  }

  /** The next slice, and no state twice: what comes twice was done twice, or was lost in between. */
  #checkSlice(seq: number, before: Job | null, { id, attempt, resultDigest }: Job): void {
    const next = (before?.slices?.seq ?? 0) + 1
    if (seq !== next)
      throw new BrokenInvariant('I21 Forward', `Slice ${seq} of ${id} was saved, and ${next} is the next.`)
    const key = `${id} ${attempt}`
    const states = this.#states.get(key) ?? new Set()
    if (states.has(resultDigest))
      throw new BrokenInvariant('I21 Forward', `${id} came back to a state that it had left.`)
    this.#states.set(key, states.add(resultDigest))
  }

  #checkWidth(job: string, { id, state }: Job): void {
    const open = this.#open.get(job) ?? new Set()
    this.#open.set(job, open)
    if (state === 'final') open.delete(id)
    else open.add(id)
    if (open.size > shardWidth) throw new BrokenInvariant('I22 ShardWidth', `${job} has ${open.size} tasks open.`)
  }
}
