import type { AgedJob, PastJob, Pasts } from '../../src/store/retention/pasts.ts'
import type { Stretch } from '../../src/store/retention/walks.ts'
import type { StoredJob } from '../../src/store/store.ts'
import type { ModelData } from './model-data.ts'

/** What is kept of jobs in the model. */
export class ModelPasts implements Pasts {
  readonly #data: ModelData

  constructor(data: ModelData) {
    this.#data = data
  }

  jobsAfter(position: string, limit: number): readonly { pk: number; createdAt: number }[] {
    const after = this.#jobs().filter(({ guard }) => guard.pk > Number(position))
    return after.slice(0, limit).map(({ job, guard }) => ({ pk: guard.pk, createdAt: job.createdAt }))
  }

  jobsWithin(stretch: Stretch): readonly AgedJob[] {
    const within = this.#jobs().filter(({ guard }) => isWithin(stretch, guard.pk))
    return within.map(({ job: { name, groupId, finishedAt, state }, guard: { pk } }) => {
      return { pk, name, groupId, endedAt: state === 'final' ? finishedAt : null }
    })
  }

  within(stretch: Stretch): readonly PastJob[] {
    const past = this.#data.pasts.values().filter(({ pk, body }) => body !== null && isWithin(stretch, pk))
    return past.sort((a, b) => a.pk - b.pk)
  }

  prune(pks: readonly number[]): ReadonlySet<number> {
    const free = pks.filter((pk) => !this.#isNeeded(pk))
    for (const pk of free) {
      const stored = this.#data.jobs.get(pk)
      if (stored === undefined) continue
      this.#data.pasts.set(pk, pastOf(stored))
      this.#data.ids.delete(stored.job.id)
      this.#data.jobs.delete(pk)
      this.#data.parents.delete(pk)
      this.#data.members.delete(pk)
      this.#data.sharded.delete(pk)
      this.#data.shards.delete(pk)
      this.#data.progress.delete(pk)
      this.#data.checkpoints.delete(pk)
      for (const [key, { job }] of this.#data.endpoints.entries()) if (job === pk) this.#data.endpoints.delete(key)
    }
    return new Set(free)
  }

  forgetLines(pks: readonly number[], limit: number): number {
    const lines = this.#data.lines.entries().filter(([, { pk }]) => pks.includes(pk))
    const first = lines.slice(0, limit)
    for (const [key] of first) this.#data.lines.delete(key)
    return first.length
  }

  forgetRuns(pks: readonly number[]): void {
    for (const past of this.load(pks)) {
      this.#data.runs.delete(past.pk)
      if (this.#data.log.values().some(({ pk }) => pk === past.pk))
        this.#data.pasts.set(past.pk, { ...past, body: null })
      else this.#data.pasts.delete(past.pk)
    }
  }

  load(pks: readonly number[]): readonly PastJob[] {
    return pks.flatMap((pk) => this.#data.pasts.get(pk) ?? [])
  }

  #jobs(): readonly StoredJob[] {
    return this.#data.jobs.values().toSorted((a, b) => a.guard.pk - b.guard.pk)
  }

  #isNeeded(pk: number): boolean {
    const isAwaited = this.#data.waits.values().some((awaited) => awaited.includes(pk))
    const isFollowedUp = this.#data.followUps.values().some(({ job }) => job === pk)
    const hasChildren = this.#data.parents.entries().some(([child, parent]) => {
      return parent.pk === pk && this.#data.jobs.get(child)?.job.state !== 'final'
    })
    const whole = this.#data.parents.get(pk)?.pk ?? -1
    const isOfLiveJob = this.#data.sharded.has(whole) && this.#data.jobs.get(whole)?.job.state !== 'final'
    const isWanted = this.#data.needs.entries().some(([job, needed]) => {
      return needed.includes(pk) && this.#data.jobs.get(job)?.job.phase === 'pending'
    })
    return isAwaited || isWanted || isFollowedUp || hasChildren || isOfLiveJob
  }
}

function isWithin({ after, upto }: Stretch, pk: number): boolean {
  return pk > Number(after) && pk <= Number(upto)
}

function pastOf({ job, params, guard: { pk, namespace } }: StoredJob): PastJob {
  const { id, name, type, outcome, createdAt, cancelled, labels, templateId, scheduleId, groupId } = job
  const body = { createdAt, cancelled, labels, templateId, scheduleId, groupId, params }
  return { pk, id, namespace, name, type, outcome, endedAt: job.finishedAt ?? 0, body }
}
