import { StintError } from '../../core/errors.ts'
import { JobRunId } from '../../core/names/ids.ts'
import { attempt, isUuid } from '../../store/check-input.ts'
import { missingJob } from '../../store/missing.ts'
import { unknownNeed } from '../../store/slots/needs.ts'
import type { Store, Submission, SubmitResult } from '../../store/store.ts'
import type { Scope } from './scope.ts'
import { isElsewhere } from './scope-look.ts'
import { unknownRecord } from './scoped-control.ts'

type Write = (allowed: readonly Submission[]) => Promise<readonly SubmitResult[]>

/** Submits what a branch may: what names something elsewhere is refused, each alone. */
export async function submitWithin(
  store: Store,
  scope: Scope,
  submissions: readonly Submission[],
  write: Write,
): Promise<readonly SubmitResult[]> {
  const refusals: (StintError | null)[] = []
  for (const submission of submissions) refusals.push(await refusal(store, scope, submission))
  const allowed = submissions
    .filter((_, i) => refusals[i] === null)
    // The store keeps it from those elsewhere who hold its key, at the moment of writing.
    .map((submission) => ({ ...submission, within: scope.path.toWire() }))
  const written = allowed.length === 0 ? [] : [...(await write(allowed))]
  return refusals.map((error): SubmitResult => {
    return error === null ? (written.shift() as SubmitResult) : { outcome: 'refused', error }
  })
}

/** What keeps a submission from being made here; null when nothing does. */
async function refusal(store: Store, scope: Scope, submission: Submission): Promise<StintError | null> {
  try {
    scope.require(submission?.name, 'name')
    scope.require(submission?.onFailure?.name, 'onFailure.name')
    await requireLimits(store, scope, submission)
    const { template, group, parent, needs } = submission ?? {}
    const unknown =
      (await unknownRecord(store, scope, 'template', template)) ?? (await unknownRecord(store, scope, 'group', group))
    if (unknown !== null) return unknown
    if (parent && !(await isOwnJob(store, scope, parent.jobId))) return missingJob(parent.jobId)
    for (const { of } of needs?.list ?? []) {
      if (await isElsewhere(store, scope, of)) return unknownNeed(of, scope.path.namespace)
    }
    return null
  } catch (error) {
    if (error instanceof StintError) return error
    throw error
  }
}

async function isOwnJob(store: Store, scope: Scope, id: string): Promise<boolean> {
  const [stored] = await store.find([{ id }])
  return scope.covers(stored?.job.name)
}

/** A job that is run again keeps to the limits that it kept to, whoever gave it those. */
async function requireLimits(store: Store, scope: Scope, submission: Submission): Promise<void> {
  const limits = submission?.limits ?? []
  if (limits.length === 0) return
  const inherited = await limitsOf(store, scope, submission.retryOf)
  scope.requireLimits(limits.filter((limit) => Object.keys(limit).length > 1 || !inherited.includes(limit.key)))
}

async function limitsOf(store: Store, scope: Scope, retryOf: string | null | undefined): Promise<readonly string[]> {
  const id = typeof retryOf === 'string' ? attempt(() => JobRunId.parse(retryOf).name) : ''
  if (id instanceof StintError || !isUuid(id)) return []
  const [stored] = await store.find([{ id }])
  return stored && scope.covers(stored.job.name) ? stored.job.limits : []
}
