import type { Job } from '../core/job/job.ts'
import { completedJob } from '../store/completion.ts'
import { changesSomething } from '../store/control/control.ts'
import type { ApplyRequest, Completion, Store, StoredJob } from '../store/store.ts'
import type { Clock } from './clock.ts'
import type { Ended, Hub } from './hub.ts'

/** A timer may end a moment too early. */
const timerSlackMs = 2

/** A store that tells the hub what this process changed, after it is durable. */
export function observed(store: Store, hub: Hub, clock: Pick<Clock, 'monotonic' | 'turn'>): Store {
  const tell = (jobs: readonly StoredJob[], isReadyTold = false) => {
    let isAnyReady = false
    const ready = new Set<string>()
    const ended: StoredJob[] = []
    for (const stored of jobs) {
      const { job } = stored
      if (job.state === 'final') ended.push(stored)
      else if (job.phase === 'pending') hub.upkeep.tell()
      else if (job.phase === 'queued' && job.scheduledFor > job.updatedAt) hub.dueAt(dueOf(job))
      else if (job.phase === 'queued') ready.add(job.type)
      isAnyReady ||= mayHaveMadeReady(job)
    }
    if (isAnyReady && !isReadyTold) hub.ready()
    // A worker that knows none of the types looks for nothing: what others submit costs it nothing.
    else if (ready.size > 0 && !isReadyTold) hub.ready([...ready])
    if (ended.length > 0) hub.ended(ended.map((stored) => toldOf(stored)))
    // It may have stopped its group, and then others are to be ended.
    if (ended.some(({ job }) => job.groupId !== null)) hub.upkeep.tell()
  }
  // By the time that is left and not by the instant: the clock of the database is not ours.
  const dueOf = ({ scheduledFor, updatedAt }: Job) => clock.monotonic() + (scheduledFor - updatedAt) + timerSlackMs
  // SQLite does what it is told one after the other, and shares commits: a claim that is sent right behind a write finds what
  // it has made ready, and waits for no commit but that. PostgreSQL takes a claim along with a submission that has no turn to wait for,
  // and with the ends of tasks.
  const isInOrder = store.kind === 'sqlite'
  return overriding(store, {
    async submit(submissions, options) {
      const submitting = store.submit(submissions, options)
      if (isInOrder || options?.turn === undefined) hub.ready(submissions.flatMap(({ type }) => type ?? []))
      const results = await submitting
      hub.written()
      const stored = results.flatMap((result) => (result.outcome === 'refused' ? [] : [result.stored]))
      tell(stored)
      // One that replaces another has asked it to end.
      if (stored.some(({ job }) => job.replaces !== null)) hub.tellAll()
      return results
    },
    async claim(request) {
      const jobs = await store.claim(request)
      if (jobs.length > 0) hub.written()
      return jobs
    },
    async apply(requests, options) {
      const applying = store.apply(requests, options)
      // An attempt that ends may free a limit that others wait for.
      const mayFree = requests.some(({ command }) => endsAttempt.has(command.type))
      if (mayFree && isInOrder) hub.ready()
      const results = await applying
      hub.written()
      const stored = results.flatMap((result) => (result.ok ? [result.stored] : []))
      tell(stored, mayFree && isInOrder)
      if (mayFree && !isInOrder) hub.ready()
      // What comes from outside of the attempt concerns the worker that holds it.
      const isFromOutside = requests.some(({ command }) => fromOutside.has(command.type))
      // The end of a job may be that of others, which waited for its value.
      if (isFromOutside || results.some((result) => result.ok && result.stored.job.state === 'final')) hub.tellAll()
      return results
    },
    async complete(completions, options) {
      const completing = store.complete(completions, options)
      if (isInOrder && completions.some(letsOthersBegin)) hub.ready()
      else if (!isInOrder) hub.ready(taskTypes(completions), true)
      const completed = await completing
      hub.written()
      if (completed.woke) hub.tellAll()
      else if (!isInOrder && !completed.isTaken) {
        const isAnyReady = completions.some((each, i) => completed.done[i] && letsOthersBegin(each))
        // Where more ends follow at once, the claim goes with them.
        if (isAnyReady) void clock.turn().then(() => hub.ready())
      }
      if (!hub.isAwaited) return completed
      const done = completions.filter((_, i) => completed.done[i])
      hub.ended(done.map((each) => ({ id: each.job.job.id, stored: () => completedJob(each, completed.at) })))
      return completed
    },
    async setLimit(limit) {
      await store.setLimit(limit)
      hub.ready()
    },
    async removeLimit(key) {
      const isGone = await store.removeLimit(key)
      hub.ready()
      return isGone
    },
    async resume(request) {
      const isGone = await store.resume(request)
      hub.ready()
      return isGone
    },
    async control(name, input, options) {
      const output = await store.control(name, input, options)
      // It may have made jobs, or let some begin.
      if (changesSomething(name, output)) {
        hub.written()
        hub.tellAll()
      }
      return output
    },
    async append(events, options) {
      const results = await store.append(events, options)
      hub.written()
      hub.tellAll()
      return results
    },
    async followUp(request) {
      const more = await store.followUp(request)
      hub.written()
      if (more) hub.tellAll()
      return more
    },
  })
}

/** The end of a task lets the next one begin, or its job; that of a child may let the next attempt of its parent. */
function letsOthersBegin({ job: { job } }: Completion): boolean {
  return job.submittedBy !== null || job.task !== null
}

/** Types of which the ends of tasks make new ones. */
function taskTypes(completions: readonly Completion[]): readonly string[] {
  return [...new Set(completions.flatMap(({ job: { job } }) => (job.task === null ? [] : job.type)))]
}

function toldOf(stored: StoredJob): Ended {
  return { id: stored.job.id, groupId: stored.job.groupId, stored: () => stored }
}

const fromOutside: ReadonlySet<string> = new Set<ApplyRequest['command']['type']>([
  'cancel',
  'answer',
  'elapse',
  'lose',
])

const endsAttempt: ReadonlySet<string> = new Set<ApplyRequest['command']['type']>(['finish', 'giveBack', 'lose'])

/** The end of a job can let others begin: the one that it is submitted by, that it names for its failure, that replaces it. */
function mayHaveMadeReady(job: Job): boolean {
  return job.state === 'final' && (job.outcome !== 'COMPLETED' || job.submittedBy !== null)
}

/** The same store with some methods of another. The others keep their own `this`. */
export function overriding(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      // Also what is undefined there: so a method can be taken away.
      if (name in methods) return Reflect.get(methods, name)
      const method: unknown = Reflect.get(target, name, target)
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
}
