import { StintError } from '../../core/errors.ts'
import { isPath } from '../../core/gates/limit.ts'
import { attempt, isUuid } from '../../store/check-input.ts'
import { workerTaken } from '../../store/check-work.ts'
import { missingJob } from '../../store/missing.ts'
import { unknownNeed } from '../../store/slots/needs.ts'
import type {
  AppendResult,
  ApplyRequest,
  ApplyResult,
  JobRef,
  LimitRow,
  NewEvent,
  NewWorker,
  Report,
  Store,
  StoredJob,
  Submission,
  SubmitResult,
  WorkerRow,
} from '../../store/store.ts'
import type { Scope } from './scope.ts'
import { scopedControl, unknownRecord } from './scoped-control.ts'
import { entriesWithin } from './scoped-events.ts'

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

  const requireWorker = async (id: string): Promise<boolean> => {
    const worker = (await store.workers()).find((each) => each.id === id)
    return worker !== undefined && isBound(worker)
  }

  const isBound = ({ paths }: Pick<WorkerRow, 'paths'>) => paths?.every((path) => scope.covers(path)) ?? false

  /** The branches that a worker may take jobs from: those it names, or all of the scope. */
  const bound = <Bound extends Pick<NewWorker, 'paths'>>(given: Bound): Bound => {
    for (const path of given.paths ?? []) scope.require(path, 'paths')
    return { ...given, paths: given.paths ?? [scope.path.toWire()] }
  }

  const requireLimit = (key: unknown): void => {
    if (!isOwnLimit(key)) throw scope.elsewhere('limits.key', key)
  }

  /** A limit is shared by all who name it, so only one that is a path of the scope is sure to be its own. */
  const isOwnLimit = (key: unknown) => typeof key === 'string' && isPath(key) && scope.covers(key)

  /** What keeps a submission from being made here; null when nothing does. */
  const refusal = async (submission: Submission, together: ReadonlySet<string>): Promise<StintError | null> => {
    const error = attempt(() => {
      scope.require(submission?.name, 'name')
      scope.require(submission?.onFailure?.name, 'onFailure.name')
      for (const limit of submission?.limits ?? []) requireLimit(limit?.key)
    })
    if (error instanceof StintError) return error
    const { template, group, parent, needs } = submission ?? {}
    const unknown =
      (await unknownRecord(store, scope, 'template', template)) ?? (await unknownRecord(store, scope, 'group', group))
    if (unknown !== null) return unknown
    if (parent && !(await known([parent.jobId])).has(parent.jobId)) return missingJob(parent.jobId)
    for (const { of } of needs?.list ?? []) {
      if (together.has(of) || !isUuid(of) || (await known([of])).has(of)) continue
      const slot = await store.control('slot.get', { slot: of })
      if (!scope.covers(slot?.path)) return unknownNeed(of, scope.path.namespace)
    }
    return null
  }

  const submit = async (
    submissions: readonly Submission[],
    write: (allowed: readonly Submission[]) => Promise<readonly SubmitResult[]>,
  ): Promise<readonly SubmitResult[]> => {
    const together = new Set(submissions.map((submission) => submission?.id))
    const refusals: (StintError | null)[] = []
    for (const submission of submissions) refusals.push(await refusal(submission, together))
    const allowed = submissions.filter((_, i) => refusals[i] === null)
    const written = allowed.length === 0 ? [] : [...(await write(allowed))]
    return refusals.map((error): SubmitResult => {
      return error === null ? (written.shift() as SubmitResult) : { outcome: 'refused', error }
    })
  }

  const control = scopedControl(store, scope, requireJob)

  return {
    kind: store.kind,
    now: () => store.now(),
    submit: (submissions, options) => submit(submissions, (allowed) => store.submit(allowed, options)),
    ...(store.submitWithin === undefined
      ? {}
      : {
          submitWithin: (client, submissions) => {
            return submit(submissions, (allowed) => store.submitWithin?.(client, allowed) ?? Promise.resolve([]))
          },
        }),
    claim: (request) => store.claim(bound(request)),
    apply: async (requests, options) => {
      const ids = await known(requests.flatMap(({ job }) => (typeof job === 'string' ? job : [])))
      const isAllowed = ({ job }: ApplyRequest) => {
        return typeof job === 'string' ? ids.has(job) : scope.covers(job.job.name)
      }
      const written = [...(await store.apply(requests.filter(isAllowed), options))]
      return requests.map((request): ApplyResult => {
        if (isAllowed(request)) return written.shift() as ApplyResult
        return { ok: false, error: missingJob(typeof request.job === 'string' ? request.job : request.job.job.id) }
      })
    },
    complete: async (completions, options) => {
      for (const { job } of completions) if (!scope.covers(job.job.name)) throw missingJob(job.job.id)
      return await store.complete(completions, options)
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
    list: async (request) => {
      const branch = scope.narrowed(request.branch)
      return branch === null ? { jobs: [], next: null } : await store.list({ ...request, branch })
    },

    register: async (worker, options) => {
      const known = (await store.workers()).find(({ id }) => id === worker.id)
      // Whoever registers again renews its lease: that of a worker of others is not to be kept alive from here.
      if (known !== undefined && !isBound(known)) throw workerTaken(worker.id)
      await store.register(bound(worker), options)
    },
    renew: async (request) => (await requireWorker(request.workerId)) && (await store.renew(request)),
    retire: async (workerId) => {
      if (await requireWorker(workerId)) await store.retire(workerId)
    },
    buryLost: () => Promise.reject(scope.refuse('The search for lost workers')),
    workers: async () => (await store.workers()).filter(isBound),
    held: async (workerId) => ((await requireWorker(workerId)) ? await store.held(workerId) : []),
    orphans: () => Promise.reject(scope.refuse('The search for lost attempts')),

    overdue: () => Promise.reject(scope.refuse('The search for overdue jobs')),
    cancelBranch: async (request) => {
      scope.require(request.name, 'name')
      await store.cancelBranch(request)
    },
    // It tells nothing but whether there is more to do.
    followUp: (request) => store.followUp(request),

    setLimit: async (limit) => {
      requireLimit(limit.key)
      await store.setLimit(limit)
    },
    removeLimit: async (key) => isOwnLimit(key) && (await store.removeLimit(key)),
    limits: async (): Promise<readonly LimitRow[]> => (await store.limits()).filter(({ key }) => isOwnLimit(key)),
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
    queue: async (request) => (await store.queue(request)).filter((stored) => seen(stored) !== null),
    gates: async (jobIds) => {
      const ids = await known(jobIds)
      const gates = await store.gates(jobIds)
      return gates.map((gate, i) => {
        if (gate === null || !ids.has(jobIds[i] ?? '')) return null
        // Whoever else holds a limit is nobody's business here; that it is held is.
        return gate.kind === 'limit' ? { ...gate, holders: gate.holders.filter((name) => scope.covers(name)) } : gate
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
