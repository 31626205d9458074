import type { JobEvent } from '../../src/core/job/events.ts'
import type { Job } from '../../src/core/job/job.ts'
import type { LogEntry, Store, StoredJob } from '../../src/store/store.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import type { Sometimes } from './sometimes.ts'

type JobOf = (id: string) => Job | undefined

/** What must be so of slots, and of jobs that need their values. */
export class SlotRules {
  /** How each slot was settled, by its id. */
  readonly #settled = new Map<string, 'slot.filled' | 'slot.failed'>()

  /** A slot is settled once. */
  note({ eventType, eventId }: LogEntry, sometimes: Sometimes): void {
    if (eventType !== 'slot.filled' && eventType !== 'slot.failed') return
    const slot = eventId.split('.')[0] ?? ''
    if (this.#settled.has(slot)) throw new BrokenInvariant('I26 WriteOnce', `${slot} was settled twice.`)
    this.#settled.set(slot, eventType)
    sometimes.hit(eventType === 'slot.filled' ? 'slot filled' : 'slot failed')
  }

  /** A job goes on when all that it needs is over, not before; and not at all without what it cannot do without. */
  fold(event: JobEvent, job: Job, jobOf: JobOf, sometimes: Sometimes): void {
    if (event.type === 'job.run.suspended' && job.output !== null) sometimes.hit('output returned')
    if (event.type === 'job.run.skipped' && event.data.reason.startsWith('upstream'))
      this.#checkSkip(job, jobOf, sometimes)
    if (event.type !== 'job.queued' || event.data.resolved === undefined || job.needs === null) return
    const { upstream } = event.data.resolved
    const open = job.needs.list.find(({ of }) => !this.#isOver(of, jobOf))
    if (open !== undefined) throw new BrokenInvariant('I24 Resolved', `${job.id} goes on before ${open.of} is over.`)
    const missing = job.needs.list.filter(({ of }) => !this.#hasValue(of, jobOf)).map(({ of }) => of)
    const told = upstream.map(({ of }) => of)
    if (missing.join() !== told.join() || (told.length > 0 && job.needs.onFailure === 'skip')) {
      throw new BrokenInvariant('I24 Resolved', `${job.id} is told of ${told}, and ${missing} have no value.`)
    }
    sometimes.hit(told.length > 0 ? 'ran without a value' : 'values resolved')
  }

  #checkSkip({ id, needs }: Job, jobOf: JobOf, sometimes: Sometimes): void {
    const isDoomed = needs?.list.some(({ of }) => this.#isOver(of, jobOf) && !this.#hasValue(of, jobOf))
    if (!isDoomed) throw new BrokenInvariant('I24 Resolved', `${id} is skipped, and all that it needs may still come.`)
    sometimes.hit('skipped for want of a value')
  }

  #isOver(id: string, jobOf: JobOf): boolean {
    return this.#settled.has(id) || jobOf(id)?.state === 'final'
  }

  #hasValue(id: string, jobOf: JobOf): boolean {
    const job = jobOf(id)
    return job === undefined ? this.#settled.get(id) === 'slot.filled' : job.outcome === 'COMPLETED' && !job.cancelled
  }
}

/** The values that jobs ran with, and results that were returned, are those of what they needed. */
export async function checkValues(store: Store, stored: StoredJob): Promise<void> {
  const { job, params, result } = stored
  const expected = async (id: string) => {
    const [other] = await store.find([{ id }])
    if (other)
      return other.job.outcome === 'COMPLETED' && !other.job.cancelled ? JSON.parse(other.result ?? 'null') : null
    const slot = await store.control('slot.get', { slot: id })
    return slot?.status === 'FILLED' ? JSON.parse(slot.value ?? 'null') : null
  }
  const wrong = (what: string) => new BrokenInvariant('I25 Values', `${job.id} has another ${what} than what it needs.`)
  if (job.needs !== null && job.upstream !== null) {
    const { inputs } = JSON.parse(params ?? '{}') as { inputs?: readonly unknown[] }
    for (const [i, { of, at }] of job.needs.list.entries()) {
      if (at !== null && JSON.stringify(inputs?.[i]) !== JSON.stringify(await expected(of))) throw wrong('input')
    }
  }
  if (job.output !== null && job.outcome === 'COMPLETED') {
    if (JSON.stringify(JSON.parse(result ?? 'null')) !== JSON.stringify(await expected(job.output)))
      throw wrong('result')
  }
}
