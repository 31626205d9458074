import type { StintError } from '../../core/errors.ts'
import { isUuid } from '../../store/check-input.ts'
import { workerTaken } from '../../store/check-work.ts'
import { missingJob } from '../../store/missing.ts'
import { unknownOutput } from '../../store/slots/returns.ts'
import type {
  AppendResult,
  ApplyRequest,
  ApplyResult,
  Completion,
  JobRef,
  LimitRow,
  NewEvent,
  NewWorker,
  Report,
  Store,
  StoredJob,
  WorkerRow,
} from '../../store/store.ts'
import type { Scope } from './scope.ts'
import { isElsewhere } from './scope-look.ts'
import { scopedControl } from './scoped-control.ts'
import { entriesWithin } from './scoped-events.ts'
import { submitWithin } from './scoped-submit.ts'

/** So far the queue is searched for jobs of a branch. */
const queueMax = 10_000

/**
 * A store of which only one branch can be seen and changed. What lies elsewhere is answered as if it were not there; what
 * would be written elsewhere is refused. Whoever builds on this store need not think of it again: that is the point, since
 * the holes of others were all in the one place where somebody had not.
 */
export function scopedStore(store: Store, scope: Scope): Store {
  const seen = (stored: StoredJob | null): StoredJob | null => (scope.covers(stored?.job.name) ? stored : null)
  const find = async (refs: readonly JobRef[]) => (await store.find(refs)).map(seen)

  /** UUIDs of jobs of the scope, of those that are asked for. */
  const known = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
    const found = await find([...new Set(ids)].map((id) => ({ id })))
    return new Set(found.flatMap((stored) => stored?.job.id ?? []))
  }

  const requireJob = async (id: string): Promise<void> => {
    if (!(await known([id])).has(id)) throw missingJob(id)
  }

  const isOwnWorker = async (id: string): Promise<boolean> => {
    const worker = (await store.workers()).find((each) => each.id === id)
    return worker !== undefined && isBound(worker)
  }

  const isBound = ({ paths }: Pick<WorkerRow, 'paths'>) => paths?.every((path) => scope.covers(path)) ?? false

  /** The branches that a worker may take jobs from: those it names, or all of the scope. */
  const bound = <Bound extends Pick<NewWorker, 'paths'>>(given: Bound): Bound => {
    for (const path of given.paths ?? []) scope.require(path, 'paths')
    return { ...given, paths: given.paths ?? [scope.path.toWire()] }
  }

  const control = scopedControl(store, scope, requireJob)

  return {
    kind: store.kind,
    now: () => store.now(),
    submit: async (submissions, options) => {
      // What it looks at first may be written by those before it.
      await options?.turn?.come
      return await submitWithin(store, scope, submissions, (allowed) => store.submit(allowed, options))
    },
    ...(store.submitWithin === undefined
      ? {}
      : {
          submitWithin: (client, submissions) => {
            return submitWithin(store, scope, submissions, async (allowed) => {
              return (await store.submitWithin?.(client, allowed)) ?? []
            })
          },
        }),
    // Who claims in the name of another's worker would be in its hands.
    claim: async (request) => {
      const checked = bound(request)
      return (await isOwnWorker(request.workerId)) ? await store.claim(checked) : []
    },
    apply: async (requests, options) => {
      const ids = await known(requests.flatMap(({ job }) => (typeof job === 'string' ? job : [])))
      const refusals: (StintError | null)[] = []
      for (const request of requests) refusals.push(await refusedCommand(request, ids))
      const allowed = requests.filter((_, i) => refusals[i] === null)
      const written = [...(await store.apply(allowed, options))]
      return refusals.map((error): ApplyResult => {
        return error === null ? (written.shift() as ApplyResult) : { ok: false, error }
      })
    },
    complete: async (completions, options) => {
      const isAllowed = ({ job }: Completion) => scope.covers(job.job.name)
      const { at, done } = await store.complete(completions.filter(isAllowed), options)
      const written = [...done]
      return { at, done: completions.map((each) => isAllowed(each) && (written.shift() ?? false)) }
    },
    append: async (events, options) => {
      const ids = await known(events.flatMap(({ jobId }) => (typeof jobId === 'string' ? jobId : [])))
      const refusals = events.map((event) => refusedEvent(event, ids))
      const written = [
        ...(await store.append(
          events.filter((_, i) => refusals[i] === null),
          options,
        )),
      ]
      return refusals.map((error): AppendResult => {
        return error === null ? (written.shift() as AppendResult) : { outcome: 'refused', error }
      })
    },
    find,
    past: async (refs) => (await store.past(refs)).map((past) => (scope.covers(past?.name) ? past : null)),
    runs: async (jobId) => ((await known([jobId])).has(jobId) || (await isPast(jobId)) ? await store.runs(jobId) : []),
    events: async (request) => await entriesWithin(store, scope, request),
    logEnd: () => store.logEnd(),
    // It names what others do.
    heldBack: () => Promise.resolve(null),
    list: async (request) => {
      const branch = scope.narrowed(request.branch)
      return branch === null ? { jobs: [], next: null } : await store.list({ ...request, branch })
    },
    tree: async (request) => {
      const path = scope.narrowed(request.path ?? undefined)
      return path === null ? { nodes: [], next: null } : await store.tree({ ...request, path })
    },
    // What is counted by namespace cannot be told of a part of one.
    depths: async () => {
      const rows = scope.path.isRoot ? await store.depths() : []
      return rows.filter(({ namespace }) => namespace === scope.path.namespace)
    },

    register: async (worker, options) => {
      const known = (await store.workers()).find(({ id }) => id === worker.id)
      // Whoever registers again renews its lease: that of a worker of others is not to be kept alive from here.
      if (known !== undefined && !isBound(known)) throw workerTaken(worker.id)
      await store.register(bound(worker), options)
    },
    renew: async (request) => (await isOwnWorker(request.workerId)) && (await store.renew(request)),
    retire: async (workerId) => {
      if (await isOwnWorker(workerId)) await store.retire(workerId)
    },
    buryLost: () => Promise.reject(scope.refuse('The search for lost workers')),
    workers: async () => (await store.workers()).filter(isBound),
    held: async (workerId) => ((await isOwnWorker(workerId)) ? await store.held(workerId) : []),
    orphans: () => Promise.reject(scope.refuse('The search for lost attempts')),

    overdue: () => Promise.reject(scope.refuse('The search for overdue jobs')),
    cancelBranch: async (request) => {
      scope.require(request.name, 'name')
      await store.cancelBranch(request)
    },
    // It tells nothing but whether there is more to do.
    followUp: (request) => store.followUp(request),

    setLimit: async (limit) => {
      scope.requireLimits([limit])
      await store.setLimit(limit)
    },
    removeLimit: async (key) => scope.ownsLimit(key) && (await store.removeLimit(key)),
    limits: async (): Promise<readonly LimitRow[]> => (await store.limits()).filter(({ key }) => scope.ownsLimit(key)),
    pause: async (request, options) => {
      if (request.type !== undefined) throw scope.refuse('To pause a type')
      scope.require(request.path, 'path')
      await store.pause(request, options)
    },
    resume: async (request) => scope.covers(request.path) && (await store.resume(request)),
    pauses: async () => (await store.pauses()).filter(({ path }) => path !== null && scope.covers(path)),
    move: async (request, options) => {
      const { to } = request
      await requireJob(request.jobId)
      if (typeof to === 'object') await requireJob('before' in to ? to.before : to.after)
      return await store.move(request, options)
    },
    queue: async (request) => {
      // Those of others stand between: it looks further until it has as many as were asked for.
      for (let limit = request.limit; ; limit = Math.min(limit * 4, queueMax)) {
        const jobs = await store.queue({ ...request, limit })
        const own = jobs.filter((stored) => seen(stored) !== null).slice(0, request.limit)
        if (own.length === request.limit || jobs.length < limit || limit >= queueMax) return own
      }
    },
    gates: async (jobIds) => {
      const ids = await known(jobIds)
      const gates = await store.gates(jobIds)
      return gates.map((gate, i) => {
        if (gate === null || !ids.has(jobIds[i] ?? '')) return null
        // Whoever else holds a limit, and why others have paused, is nobody's business here; that it is so is.
        if (gate.kind === 'paused') return scope.covers(gate.path) ? gate : { ...gate, reason: null }
        return { ...gate, holders: gate.holders.filter((name) => scope.covers(name)) }
      })
    },

    control,

    report: async (reports, options) => {
      const ids = await known(reports.map(({ jobId }) => jobId))
      const isAllowed = ({ jobId }: Report) => ids.has(jobId)
      const written = [...(await store.report(reports.filter(isAllowed), options))]
      return reports.map((report) => isAllowed(report) && (written.shift() ?? false))
    },
    notes: async (jobId) => {
      const isKnown = (await known([jobId])).has(jobId)
      return isKnown ? await store.notes(jobId) : { progress: null, checkpoint: null }
    },
    logs: async (request) => {
      const { jobId } = request
      return (await known([jobId])).has(jobId) || (await isPast(jobId)) ? await store.logs(request) : []
    },
    audit: () => Promise.reject(scope.refuse('A verification')),
    ...(store.watch === undefined ? {} : { watch: (onChange) => store.watch?.(onChange) ?? (() => {}) }),
    // It belongs to all who share it.
    close: () => Promise.resolve(),
  }

  async function isPast(jobId: string): Promise<boolean> {
    if (!isUuid(jobId)) return false
    const [past] = await store.past([{ id: jobId }])
    return scope.covers(past?.name)
  }

  async function refusedCommand({ job, command }: ApplyRequest, ids: ReadonlySet<string>): Promise<StintError | null> {
    const isOwn = typeof job === 'string' ? ids.has(job) : scope.covers(job.job.name)
    if (!isOwn) return missingJob(typeof job === 'string' ? job : job.job.id)
    const output = command.type === 'finish' && command.ending.kind === 'suspended' ? command.ending.output : undefined
    const isForeign = output !== undefined && (await isElsewhere(store, scope, output))
    return isForeign ? unknownOutput(output, scope.path.namespace) : null
  }

  function refusedEvent(event: NewEvent, ids: ReadonlySet<string>): StintError | null {
    const { namespace, jobId } = event
    if (typeof jobId === 'string' && !ids.has(jobId)) return missingJob(jobId)
    if (namespace !== scope.path.namespace) return scope.elsewhere('namespace', namespace)
    // An event of no job can be seen by the whole namespace.
    return jobId === undefined || jobId === null ? rootOnly() : null
  }

  function rootOnly(): StintError | null {
    return scope.path.isRoot ? null : scope.elsewhere('job', null)
  }
}
