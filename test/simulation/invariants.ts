import type { JobEvent } from '../../src/core/job/events.ts'
import { recordCatalogue } from '../../src/core/records/events.ts'
import { jobEvent } from '../../src/store/event-row.ts'
import type {
  ClaimRequest,
  LogEntry,
  NewWorker,
  Store,
  StoredJob,
  Submission,
  SubmitResult,
} from '../../src/store/store.ts'
import { differencesOf } from '../../src/store/verify.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import { checkCall } from './call-rules.ts'
import { checkEvent } from './event-rules.ts'
import { Mirror } from './mirror.ts'
import type { Applied } from './network.ts'
import { isAskedFor, namespaceOf } from './share-rules.ts'
import type { Sometimes } from './sometimes.ts'

const writing = new Set([
  'submit',
  'claim',
  'apply',
  'complete',
  'append',
  'followUp',
  'move',
  'control',
  'report',
  'register',
  'retire',
  'buryLost',
])
const pageSize = 1_000

/** Looks at the database after every call that may have changed it, at no more than what has changed. */
export class Invariants {
  readonly mirror = new Mirror()
  readonly #store: Store
  readonly #sometimes: Sometimes
  readonly #onEvent: (event: JobEvent) => void
  readonly #pks = new Map<string, number>()
  #cursor: string | null = null

  /** `store` is the database itself, without a network before it. */
  constructor(store: Store, sometimes: Sometimes, onEvent: (event: JobEvent) => void = () => {}) {
    this.#store = store
    this.#sometimes = sometimes
    this.#onEvent = onEvent
  }

  async applied(applied: Applied): Promise<void> {
    const { method, fate } = applied
    this.mirror.gates.note(applied, this.#sometimes)
    this.mirror.shares.note(applied)
    if (!writing.has(method) || changesNothing(applied)) return
    if (fate !== 'ok') this.#sometimes.hit('reply lost')
    checkCall(this.mirror, applied, this.#sometimes)
    this.#noteWorkers(applied)
    const changed = await this.#readLog()
    this.#noteParents(applied)
    this.#checkOrder(applied)
    this.mirror.groups.checkEnds(this.#jobOf)
    for (const id of changed) await this.#checkStored(id)
  }

  #checkOrder({ method, args, result }: Applied): void {
    if (method !== 'claim' || 'error' in result) return
    const claimed = (result.value as readonly StoredJob[]).map(({ job }) => job)
    const request = args[0] as ClaimRequest
    const { gates, shares } = this.mirror
    const jobs = this.mirror.jobs()
    gates.checkOrder(jobs, claimed, (job, other) => {
      const isSameTurn = !request.fairness || namespaceOf(job) === namespaceOf(other)
      return isSameTurn && isAskedFor(request, other) && job.type === other.type
    })
    shares.checkTurns({ request, claimed, jobs, hasGate: (job) => gates.hasGate(job) }, this.#sometimes)
  }

  readonly #jobOf = (id: string) => this.mirror.get(id)?.job

  async #readLog(): Promise<ReadonlySet<string>> {
    const changed = new Set<string>()
    const created = new Set<string>()
    for (let isMore = true; isMore; ) {
      const { entries, cursor } = await this.#store.events({ after: this.#cursor, limit: pageSize })
      this.#cursor = cursor
      for (const entry of entries) {
        if (entry.version === null) continue
        if (isOfRecord(entry)) {
          this.mirror.groups.note(entry, this.#jobOf, this.#sometimes)
          this.mirror.slots.note(entry, this.#sometimes)
          continue
        }
        const event = jobEvent(entry)
        this.#fold(event)
        changed.add(event.jobId)
        if (event.type === 'job.created') created.add(event.jobId)
      }
      isMore = entries.length === pageSize
    }
    for (const id of created) await this.#checkHandles(id)
    return changed
  }

  #fold(event: JobEvent): void {
    const { before, after } = this.mirror.fold(event)
    checkEvent(this.mirror, event, before, after)
    this.mirror.groups.fold(event, after.job, this.#jobOf, this.#sometimes)
    this.mirror.shards.fold(event, before?.job ?? null, after.job, this.#sometimes)
    this.mirror.slots.fold(event, after.job, this.#jobOf, this.#sometimes)
    if (event.type === 'job.run.started' || event.type === 'job.run.resumed') {
      this.mirror.gates.checkStart(this.mirror.jobs(), event, after.job, this.#sometimes)
      this.mirror.shares.checkStart(after.job, this.#sometimes)
    }
    this.#onEvent(event)
    if (event.type === 'job.cancel.requested') this.#sometimes.hit('cancel while running')
    if (event.type === 'job.created' && event.data.replaces !== null) this.#sometimes.hit('replaced')
    if (event.type === 'job.expired') this.#sometimes.hit('expired')
    if (event.type === 'job.run.skipped' && event.data.reason === 'expired') this.#sometimes.hit('expired')
    if (event.type !== 'job.run.failed') return
    const { reason, charged } = event.data
    if (reason === 'lease_lost') this.#sometimes.hit('rescued')
    if (reason === 'lease_lost' && charged && before?.job.suspect) this.#sometimes.hit('suspect charged')
    if (reason === 'timeout') this.#sometimes.hit('timeout')
    if (reason === 'snoozed') this.#sometimes.hit('snooze')
  }

  /** Whoever has the name or key of a new job must have given it up. */
  async #checkHandles(jobId: string): Promise<void> {
    const made = this.mirror.get(jobId)?.job
    if (made === undefined || made.state === 'final') return
    for (const { job } of this.mirror.all()) {
      const isSameKey = made.key !== null && job.key === made.key && job.type === made.type
      const isSame = job.name === made.name || (isSameKey && namespaceOf(job) === namespaceOf(made))
      if (job.id === jobId || job.state === 'final' || !isSame) continue
      const [other] = await this.#store.find([{ id: job.id }])
      if (other?.job.state === 'final' || other?.guard.released) continue
      throw new BrokenInvariant('I7 OneHolder', `${jobId} and ${job.id} both live as ${job.name} (key ${job.key}).`)
    }
  }

  /** What stands beside the log agrees with it: the row, its seat, what it waits for, its deadline, its runs. */
  async #checkStored(jobId: string): Promise<void> {
    const pk = await this.#keyOf(jobId)
    const { jobs } = await this.#store.audit({ after: pk - 1, limit: 1 })
    const [audited] = jobs
    if (audited?.stored.job.id !== jobId) throw new BrokenInvariant('I10 Agreement', `${jobId} is not there.`)
    const differences = differencesOf(audited)
    if (differences.length > 0) throw new BrokenInvariant('I10 Agreement', JSON.stringify(differences))
  }

  async #keyOf(jobId: string): Promise<number> {
    const known = this.#pks.get(jobId)
    if (known !== undefined) return known
    const [stored] = await this.#store.find([{ id: jobId }])
    const pk = stored?.guard.pk ?? 0
    this.#pks.set(jobId, pk)
    return pk
  }

  #noteWorkers({ method, args, caller, result }: Applied): void {
    if ('error' in result) return
    if (method === 'claim') this.mirror.claimedBy.set((args[0] as ClaimRequest).token, caller)
    if (method === 'followUp' && result.value === true) this.#sometimes.hit('follow-up carried out')
    if (method === 'register' && !this.mirror.lostWith.has((args[0] as NewWorker).id)) {
      this.mirror.living.add((args[0] as NewWorker).id)
    }
    if (method === 'retire') this.mirror.living.delete(args[0] as string)
    if (method !== 'buryLost') return
    for (const id of result.value as readonly string[]) {
      this.mirror.living.delete(id)
      this.mirror.lostWith.set(id, this.mirror.runningOn(id).length)
    }
  }

  #noteParents({ method, args, result }: Applied): void {
    if (method !== 'submit' || 'error' in result) return
    const results = result.value as readonly SubmitResult[]
    for (const [i, { id, parent }] of (args[0] as readonly Submission[]).entries()) {
      if (parent && results[i]?.outcome === 'created') this.mirror.noteParent(id, parent.jobId)
    }
  }
}

function isOfRecord({ eventType }: LogEntry): boolean {
  return Object.hasOwn(recordCatalogue, eventType)
}

/** Most calls of a quiet cluster find nothing to do. Looking after each would take most of the time of a run. */
function changesNothing({ method, args, result }: Applied): boolean {
  if ('error' in result) return false
  if (method === 'control') {
    return args[0] === 'schedule.fire' || (args[0] === 'slot.due' && !(result.value as { isDue: boolean }).isDue)
  }
  if (method === 'followUp') return result.value === false
  return (method === 'claim' || method === 'buryLost') && (result.value as readonly StoredJob[]).length === 0
}
