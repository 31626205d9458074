import type { GroupCounts, GroupMode, GroupStatus } from '../../src/core/group/group.ts'
import type { JobEvent } from '../../src/core/job/events.ts'
import type { Job } from '../../src/core/job/job.ts'
import type { LogEntry, Store } from '../../src/store/store.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import type { Sometimes } from './sometimes.ts'

/** A group as the log tells it, and its members in their order. */
interface KnownGroup {
  readonly id: string
  readonly mode: GroupMode
  readonly width: number | null
  readonly finish: { readonly id: string } | null
  readonly members: readonly string[]
  readonly sealed: boolean
  readonly started: boolean
  readonly stopped: boolean
  readonly finished: { readonly status: GroupStatus; readonly counts: GroupCounts } | null
}

type JobOf = (id: string) => Job | undefined

/** Groups as the log tells them, held against the jobs as the log tells them: nothing of what a store keeps of groups. */
export class GroupRules {
  readonly #groups = new Map<string, KnownGroup>()

  /** Takes in an event of a group. */
  note({ eventType, attributes }: LogEntry, jobOf: JobOf, sometimes: Sometimes): void {
    if (!eventType.startsWith('group.')) return
    const event = attributes as unknown as KnownGroup & KnownGroup['finished'] & { readonly jobIds: readonly string[] }
    if (eventType === 'group.created') {
      const { id, mode, width, finish } = event
      const beginning = { members: [], sealed: false, started: false, stopped: false, finished: null }
      this.#groups.set(id, { id, mode, width, finish, ...beginning })
      return
    }
    const group = this.#known(event.id)
    if (group.finished !== null) throw broken(group, `it is over, and then came ${eventType}.`)
    if (eventType === 'group.sealed') this.#set(group, { sealed: true })
    if (eventType === 'group.started') this.#set(group, { started: true })
    if (eventType === 'group.stopped') this.#set(group, { stopped: true })
    if (eventType === 'group.reordered') this.#set(group, { members: reordered(group.members, event.jobIds) })
    if (eventType === 'group.finished') this.#finish(group, event, jobOf)
    if (eventType === 'group.stopped') sometimes.hit('group stopped')
    if (eventType === 'group.reordered') sometimes.hit('group reordered')
    if (eventType === 'group.cancel.requested') sometimes.hit('group cancelled')
    if (eventType === 'group.finished') sometimes.hit('group finished')
  }

  /** Takes in an event of a job, after the job has. */
  fold(event: JobEvent, job: Job, jobOf: JobOf, sometimes: Sometimes): void {
    if (job.groupId === null) return
    const group = this.#known(job.groupId)
    if (event.type === 'job.created') {
      if (group.sealed) throw broken(group, `it is sealed, and ${job.id} was added.`)
      this.#set(group, { members: [...group.members, job.id] })
    }
    if (event.type === 'job.run.started') checkStart(group, job, jobOf, sometimes)
  }

  /** What must be so after every call: a group is over exactly when it is sealed and all its members are. */
  checkEnds(jobOf: JobOf): void {
    for (const group of this.#groups.values()) {
      const isOver = group.sealed && group.members.every((id) => jobOf(id)?.state === 'final')
      if (isOver !== (group.finished !== null)) {
        throw broken(
          group,
          isOver ? 'all its members are over, and it is not.' : 'it is over, and not all members are.',
        )
      }
    }
  }

  /** What must be so when all work is done. */
  async checkRest(store: Store): Promise<void> {
    for (const group of this.#groups.values()) {
      if (group.finished === null) throw broken(group, 'all is done, and it is not over.')
      if (group.finish === null) continue
      const [following] = await store.find([{ id: group.finish.id }])
      if (following === null) throw broken(group, `it is over, and ${group.finish.id} does not follow.`)
    }
  }

  #finish(group: KnownGroup, { status, counts }: NonNullable<KnownGroup['finished']>, jobOf: JobOf): void {
    const jobs = group.members.flatMap((id) => jobOf(id) ?? [])
    const expected = countsOf(jobs)
    if (JSON.stringify(sorted(counts)) !== JSON.stringify(sorted(expected))) {
      throw broken(group, `it counted ${JSON.stringify(counts)}, and there are ${JSON.stringify(expected)}.`)
    }
    const isCancelled = expected.cancelled > 0 || (expected.total === 0 && status === 'CANCELLED')
    const wanted = expected.failed > 0 ? 'PARTIAL' : isCancelled ? 'CANCELLED' : 'COMPLETED'
    if (status !== wanted) throw broken(group, `it ended as ${status}, and not as ${wanted}.`)
    if (jobs.some(({ attempt }) => attempt > 0) !== group.started) {
      throw broken(group, group.started ? 'it started without a member.' : 'a member started, and it did not.')
    }
    this.#set(group, { finished: { status, counts } })
  }

  #known(id: string): KnownGroup {
    const group = this.#groups.get(id)
    if (group === undefined) throw new BrokenInvariant('I20 GroupEnds', `There is no group ${id}, and it has a member.`)
    return group
  }

  #set(group: KnownGroup, changes: Partial<KnownGroup>): void {
    this.#groups.set(group.id, { ...group, ...changes })
  }
}

function checkStart(group: KnownGroup, job: Job, jobOf: JobOf, sometimes: Sometimes): void {
  const out = (why: string) => new BrokenInvariant('I19 GroupTurns', `${job.id} of group ${group.id} started ${why}`)
  if (!group.sealed) throw out('before the group was sealed.')
  if (group.stopped) throw out('after the group had stopped.')
  const members = group.members.flatMap((id) => jobOf(id) ?? [])
  const open = members.filter(({ phase }) => phase === 'running' || phase === 'awaiting')
  if (group.width !== null && open.length > group.width) throw out(`as number ${open.length} of ${group.width}.`)
  if (group.width !== null && open.length === group.width) sometimes.hit('width reached')
  if (group.mode === 'parallel') return
  const before = members.slice(0, group.members.indexOf(job.id))
  const early = before.find(({ state }) => state !== 'final')
  if (early !== undefined) throw out(`before ${early.id}, which comes first and is ${early.phase}.`)
  if (open.length > 1) throw out(`while ${open.map(({ id }) => id).join(' and ')} run.`)
}

/** Those that are named have changed places; the others stay where they are. */
function reordered(members: readonly string[], jobIds: readonly string[]): readonly string[] {
  const next = [...jobIds]
  return members.map((id) => (jobIds.includes(id) ? (next.shift() ?? id) : id))
}

function countsOf(jobs: readonly Job[]): GroupCounts {
  const cancelled = jobs.filter((job) => job.cancelled).length
  const others = jobs.filter((job) => !job.cancelled)
  const of = (outcome: string) => others.filter((job) => job.outcome === outcome).length
  const ends = { completed: of('COMPLETED'), failed: of('FAILED'), skipped: of('SKIPPED') }
  return { total: jobs.length, cancelled, ...ends }
}

function sorted(counts: GroupCounts): readonly unknown[] {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))
}

function broken({ id, mode, members }: KnownGroup, why: string): BrokenInvariant {
  return new BrokenInvariant('I20 GroupEnds', `The ${mode} group ${id} (${members.join(', ')}): ${why}`)
}
