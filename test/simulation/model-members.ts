import type { Member, MemberPage, Members } from '../../src/store/groups/members.ts'
import type { ModelData } from './model-data.ts'

/** Members of the model's groups. */
export class ModelMembers implements Members {
  readonly #data: ModelData

  constructor(data: ModelData) {
    this.#data = data
  }

  add(members: readonly Member[]): void {
    for (const member of members) this.#data.members.set(member.job, member)
  }

  page({ group, from, direction, live, limit }: MemberPage): readonly Member[] {
    const sign = direction === 'up' ? 1 : -1
    const found = this.#data.members.values().filter(({ group_pk, seq, job }) => {
      const isWanted = !live || this.#data.jobs.get(job)?.job.state !== 'final'
      return group_pk === group && sign * (seq - from) > 0 && isWanted
    })
    return found.sort((a, b) => sign * (a.seq - b.seq)).slice(0, limit)
  }

  waiting(group: number, limit: number): readonly number[] {
    const waiting = this.#data.waits.entries().filter(([, awaited]) => awaited.includes(group))
    const jobs = waiting.map(([job]) => job).sort((a, b) => a - b)
    return jobs.slice(0, limit)
  }

  renumber(_group: number, members: readonly Member[]): void {
    this.add(members)
  }

  release(group: number, jobs: readonly number[]): readonly number[] {
    const released = jobs.filter((job) => this.#data.waits.get(job)?.includes(group))
    for (const job of released) {
      const left = (this.#data.waits.get(job) ?? []).filter((awaited) => awaited !== group)
      if (left.length > 0) this.#data.waits.set(job, left)
      else this.#data.waits.delete(job)
    }
    return released.filter((job) => !this.#data.waits.has(job))
  }
}
