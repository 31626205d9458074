import { StintError } from '../core/errors.ts'
import { type Step, step } from '../core/job/decide.ts'
import type { JobSpec, OnFailure } from '../core/job/job.ts'
import type { JsonObject } from '../core/json.ts'
import { JobName } from '../core/names/job-name.ts'
import type { Attempt } from './attempt.ts'
import { asks, changeOf, runsOf } from './change.ts'
import { attempt } from './check-input.ts'
import { childrenOf } from './children.ts'
import { completed } from './complete-submission.ts'
import { positionOf } from './event-data.ts'
import { openLimits } from './gates.ts'
import { tellGroups } from './groups/ends.ts'
import { Enrolment, type Terms } from './groups/enrolment.ts'
import { idTaken, inOtherGroup, isRepetition, meetHolders, taken, takenElsewhere, type Waits } from './holders.ts'
import {
  circular,
  inNeedOrder,
  type Needed,
  NeedsOfRound,
  neededIds,
  nothingNeeded,
  openKeys,
  requireMade,
} from './slots/needs.ts'
import type { StoredJob, Submission, SubmitResult } from './store.ts'
import { type Draft, draftOf } from './submission.ts'
import type { Change, Creation, Transaction } from './transaction.ts'
import { endDoomed, wake, writeAndWake } from './write.ts'

/** How often a submission may find its name taken anew by others before it gives up. */
const roundMax = 20

/** What the store itself says about a job that it submits. */
export interface Manner {
  /** Why the job is over as soon as it is there; null when it is not. */
  readonly skip: string | null
  /** Row keys of jobs whose end it waits for. They must be locked. */
  readonly waitsFor: readonly number[]
}

const plainly: Manner = { skip: null, waitsFor: [] }

/** A submission on its way: its place in the answer and its checked content. */
interface Open {
  readonly index: number
  /** Its place among those that are submitted together: behind those that it needs. */
  readonly rank: number
  readonly draft: Draft
  /** Row keys of jobs whose end it must wait for, because it has replaced them in an earlier round. */
  readonly waitsFor: readonly number[]
  readonly skip: string | null
  /** The attempt that submits it. */
  readonly parent: Attempt | null
}

/** A submission in a round, with the row key that it will have if it is created now, and what its group asks of it. */
interface Entry extends Open {
  readonly pk: number
  readonly terms: Terms
  readonly needed: Needed
}

/** Creates jobs in rounds: what meets a job of the same round, or one that was faster, is decided in the next. */
export async function submit(
  tx: Transaction,
  submissions: readonly Submission[],
  manner: Manner = plainly,
): Promise<readonly SubmitResult[]> {
  const results = new Map<number, SubmitResult>()
  const complete = await completed(tx, submissions)
  const groups = await Enrolment.of(tx, submissions)
  const draft = (submission: Submission) => draftOf(submission, tx.now, groups.groupIdOf(submission))
  let open = await withParents(tx, inOrder(enter(complete, manner, draft, results), groups, results), results)
  for (let round = 0; open.length > 0; round++) {
    const isPatient = round < roundMax + submissions.length
    open = isPatient ? await submitRound(tx, open, groups, results) : giveUp(open, results)
  }
  return submissions.map((_, index) => results.get(index) as SubmitResult)
}

function enter(
  submissions: readonly (Submission | StintError)[],
  { skip, waitsFor }: Manner,
  draftFrom: (submission: Submission) => Draft,
  results: Map<number, SubmitResult>,
): readonly Open[] {
  const valid: Open[] = []
  for (const [index, submission] of submissions.entries()) {
    const draft = submission instanceof StintError ? submission : attempt(() => draftFrom(submission))
    if (draft instanceof StintError) results.set(index, { outcome: 'refused', error: draft })
    else valid.push({ index, rank: index, draft, waitsFor, skip, parent: null })
  }
  return valid
}

/** What stands in a circle is refused: each of them would wait for the others. */
function inOrder(open: readonly Open[], groups: Enrolment, results: Map<number, SubmitResult>): readonly Open[] {
  const { ordered, stuck } = inNeedOrder(open, (groupId) => groups.isSequential(groupId))
  for (const { index, draft } of stuck) results.set(index, refused(circular(draft)))
  return ordered.map((entry, rank) => ({ ...entry, rank }))
}

/**
 * A handler that lost its job can submit nothing in its name any more. Its job is locked: an attempt that fails at this
 * moment either sees what was submitted, and cancels it, or has ended before and is refused here.
 */
async function withParents(
  tx: Transaction,
  open: readonly Open[],
  results: Map<number, SubmitResult>,
): Promise<readonly Open[]> {
  const ids = [...new Set(open.flatMap(({ draft }) => draft.parent?.jobId ?? []))]
  // What they need is held together with it: a job that ends at this moment does so before the look at it, or after all.
  const held = [...ids, ...neededIds(open)]
  if (held.length > 0) await tx.lock(held)
  if (ids.length === 0) return open
  const parents = new Map((await tx.load(ids)).map((stored) => [stored.job.id, stored]))
  return open.flatMap((entry) => {
    const { parent } = entry.draft
    if (parent === null) return [entry]
    const found = parents.get(parent.jobId)
    if (found?.job.phase === 'running' && found.job.token === parent.token) {
      return [{ ...entry, parent: { pk: found.guard.pk, attempt: found.job.attempt } }]
    }
    results.set(entry.index, refused(staleParent(parent.jobId)))
    return []
  })
}

function staleParent(jobId: string): StintError {
  const message = `The attempt that submits no longer holds job ${jobId}: nothing was submitted.`
  return new StintError('stale_token', message, { jobId })
}

async function submitRound(
  tx: Transaction,
  open: readonly Open[],
  groups: Enrolment,
  results: Map<number, SubmitResult>,
): Promise<readonly Open[]> {
  const { now } = tx
  const { holders, waits } = await meetHolders(tx, open)
  const entries = await keyed(tx, open, groups)
  const creations = new Map<Entry, Creation>()
  const replacements = new Map<Entry, readonly Change[]>()
  const later: Open[] = []
  const needs = await NeedsOfRound.of(tx, open)

  for (const asking of entries) {
    const met = holders.of(asking.draft)
    const needed = needs.of(asking, (index) => results.has(index))
    const entry = needed === null || needed instanceof StintError ? asking : { ...asking, needed }
    const refusal = needed instanceof StintError ? needed : entry.terms.refusal
    const hidden = met === 'this round' ? null : takenElsewhere(entry.draft, met)
    if (met === 'this round' || needed === null) later.push(entry)
    else if (hidden !== null) results.set(entry.index, refused(hidden))
    else if (refusal !== null && makesJob(entry, met)) results.set(entry.index, refused(refusal))
    else if (met.length === 0) creations.set(entry, create(entry, now))
    else if (replaces(entry, met)) replacements.set(entry, changesBy(entry, met, now, await childrenOf(tx, met)))
    else settleConflict(entry, met, now, results, creations)
    if (replacements.has(entry) || (met.length === 0 && creations.has(entry))) holders.claim(entry.draft)
    if (met.length === 0 && creations.has(entry)) needs.add(entry, entry.pk)
  }

  const { written, done: ended } = await writeAndWake(tx, [...replacements.values()].flat())
  await finish(tx, ended)
  for (const [entry, changes] of replacements) {
    const done = changes.filter(({ before }) => written.has(before.guard.pk))
    const waiting = { ...entry, waitsFor: [...new Set([...entry.waitsFor, ...endsToWaitFor(done, waits)])] }
    if (done.length < changes.length) later.push(waiting)
    else creations.set(entry, create(waiting, now, changes[0]))
  }

  later.push(...lateFor(creations, ended))
  const limits = [...creations.keys()].flatMap(({ draft }) => draft.limits)
  if (limits.length > 0) await openLimits(tx, await tx.gates.setLimits(limits))
  const inserted = creations.size === 0 ? new Set<number>() : await tx.insert([...creations.values()])
  requireMade([...creations.values()], inserted)
  for (const [entry, creation] of creations) {
    if (!inserted.has(entry.pk)) later.push({ ...entry, waitsFor: creation.waitsFor })
    else if (!results.has(entry.index)) results.set(entry.index, created(entry, creation))
  }
  const made = [...creations].filter(([{ pk }]) => inserted.has(pk))
  await groups.add(made.map(([{ index }, { after }]) => ({ index, stored: after })))
  await settleNeeding(
    tx,
    made.map(([entry]) => entry).filter(({ draft }) => draft.spec.needs !== null),
    results,
  )
  return later.sort((a, b) => a.rank - b.rank)
}

/** Takes out those that need what this round has ended, and what needs those: they look again. */
function lateFor(creations: Map<Entry, Creation>, ended: readonly Change[]): readonly Open[] {
  const gone = new Set(ended.filter(({ after }) => after.job.state === 'final').map(({ after }) => after.guard.pk))
  const late = [...creations]
    .sort(([a], [b]) => a.rank - b.rank)
    .filter(([{ pk, needed }]) => needed.keys.some((key) => gone.has(key)) && gone.add(pk))
  for (const [entry] of late) creations.delete(entry)
  // What it has replaced may still run.
  return late.map(([entry, { waitsFor }]) => ({ ...entry, waitsFor: waitsFor.filter((pk) => !gone.has(pk)) }))
}

/** New jobs with needs: those that need nothing more can run at once, those that need what will never come are over. */
async function settleNeeding(
  tx: Transaction,
  entries: readonly Entry[],
  results: Map<number, SubmitResult>,
): Promise<void> {
  if (entries.length === 0) return
  await tx.addNeeds(entries.flatMap(({ pk, needed }) => needed.keys.map((on_job) => ({ job: pk, on_job }))))
  const failed = entries.flatMap(({ needed }) => needed.over).filter(({ error }) => error !== null)
  const over = await endDoomed(
    tx,
    entries.map(({ pk }) => pk),
    failed,
  )
  const waiting = await tx.waitsOf(entries.map(({ pk }) => pk))
  const awake = await wake(
    tx,
    entries.map(({ pk }) => pk).filter((pk) => !waiting.has(pk)),
  )
  await finish(tx, [...over, ...awake])
  const changed = new Map([...over, ...awake].map(({ after }) => [after.guard.pk, after]))
  for (const { index, pk } of entries) {
    const result = results.get(index)
    const stored = changed.get(pk)
    if (stored !== undefined && result?.outcome === 'created') results.set(index, { ...result, stored })
  }
}

/**
 * Row keys are taken after the look at who is in the way: so a job that waits always has a greater one than those it waits
 * for, and all who lock in the order of keys hold the awaited before the waiting.
 */
async function keyed(tx: Transaction, open: readonly Open[], groups: Enrolment): Promise<readonly Entry[]> {
  await groups.hold(open.flatMap(({ draft }) => draft.spec.groupId ?? []))
  const pks = await tx.reserve(open.length)
  return open.map((entry, i) => {
    return { ...entry, pk: pks[i] ?? 0, terms: groups.termsOf(entry.draft.spec.groupId), needed: nothingNeeded }
  })
}

/** Whether a job comes of it, whatever that does to those who are in the way. */
function makesJob({ draft }: Entry, met: readonly StoredJob[]): boolean {
  const isForced = draft.onConflict === 'replace' || draft.onConflict === 'skip'
  return met.length === 0 || (isForced && met.every(({ job }) => job.id !== draft.spec.id))
}

function create(entry: Entry, now: number, replacing?: Change): Creation {
  const { waitsFor, skip } = entry
  return creationOf(entry, now, { waitsFor, replaces: replacing?.before.job.id ?? null, skip })
}

function created({ skip }: Entry, { after }: Creation): SubmitResult {
  return { outcome: skip === null ? 'created' : 'skipped', stored: after }
}

function creationOf(
  { draft, pk, parent, terms, needed }: Entry,
  now: number,
  how: { readonly waitsFor: readonly number[]; readonly replaces: string | null; readonly skip: string | null },
): Creation {
  const limits = [...draft.spec.limits, ...terms.limits]
  const spec: JobSpec = { ...draft.spec, limits, position: positionOf(pk), replaces: how.replaces }
  const waitsFor = how.skip === null ? [...new Set([...how.waitsFor, ...terms.waitsFor, ...openKeys(needed)])] : []
  const pending = waitsFor.length > 0
  const made: Step = step(null, { type: 'submit', spec, pending, skip: how.skip }, now, draft.context)
  const guard = { pk, revision: 1, released: made.job.state === 'final', namespace: draft.namespace }
  const after: StoredJob = { job: made.job, params: draft.params, result: null, trace: draft.trace, guard }
  return { after, events: made.events, runs: runsOf(null, made.events), waitsFor, parent }
}

function settleConflict(
  entry: Entry,
  met: readonly StoredJob[],
  now: number,
  results: Map<number, SubmitResult>,
  creations: Map<Entry, Creation>,
): void {
  const { spec, onConflict } = entry.draft
  const [holder] = met as [StoredJob, ...StoredJob[]]
  const sameId = met.find((stored) => stored.job.id === spec.id)
  if (sameId !== undefined) {
    results.set(entry.index, isRepetition(sameId, entry.draft) ? kept(sameId) : refused(idTaken(spec.id)))
  } else if (onConflict === 'keep') results.set(entry.index, keptIn(entry.draft, holder))
  else if (onConflict === 'error') results.set(entry.index, refused(taken(entry.draft, holder)))
  else {
    const creation = creationOf(entry, now, { waitsFor: [], replaces: null, skip: `duplicate of ${holder.job.id}` })
    creations.set(entry, creation)
    results.set(entry.index, { outcome: 'skipped', stored: creation.after })
  }
}

function replaces({ draft }: Entry, met: readonly StoredJob[]): boolean {
  return draft.onConflict === 'replace' && met.every(({ job }) => job.id !== draft.spec.id)
}

/** The old job is cancelled and loses name and key at once; while it still runs, the new one waits for its end. */
function changesBy(
  entry: Entry,
  met: readonly StoredJob[],
  now: number,
  parents: ReadonlySet<number>,
): readonly Change[] {
  const reason = `replaced by ${entry.draft.spec.id}`
  return met.map((holder) => {
    const command = { type: 'cancel', reason, children: parents.has(holder.guard.pk) } as const
    return changeOf(holder, step(holder.job, command, now, entry.draft.context), {}, true)
  })
}

/** A replaced job that was pending leaves behind what it was itself waiting for, but for its own follow-up: it is over now. */
function endsToWaitFor(changes: readonly Change[], waits: Waits): readonly number[] {
  return changes.flatMap(({ before: { guard }, after }) => {
    if (after.job.state !== 'final') return [guard.pk]
    return (waits.get(guard.pk) ?? []).filter((pk) => pk !== guard.pk)
  })
}

/** Who wants a member of a group is not helped by a job that is none. */
function keptIn(draft: Draft, holder: StoredJob): SubmitResult {
  const { groupId } = draft.spec
  return groupId === null || groupId === holder.job.groupId ? kept(holder) : refused(inOtherGroup(draft, holder))
}

const kept = (stored: StoredJob): SubmitResult => ({ outcome: 'kept', stored })
const refused = (error: StintError): SubmitResult => ({ outcome: 'refused', error })

function giveUp(entries: readonly Open[], results: Map<number, SubmitResult>): readonly Open[] {
  for (const { index, draft } of entries) {
    const message = `The name ${draft.spec.name} was taken and freed by others all the time; nothing was submitted.`
    results.set(index, refused(new StintError('conflict', message, { name: draft.spec.name })))
  }
  return []
}

/** Tells groups of members that are over, and submits the jobs that follow from ends: of groups, and of jobs that failed. */
export async function finish(tx: Transaction, changes: readonly Change[]): Promise<void> {
  await submitFinishing(tx, await tellGroups(tx, changes))
  const following = changes
    .filter((change) => asks(change, 'submitOnFailure'))
    .flatMap(({ after }) => (after.job.onFailure === null ? [] : [followingJob(after, after.job.onFailure)]))
  if (following.length > 0) await submit(tx, following)
}

/** The job that follows a failure. If its name is taken by then, that job has been told of a failure already. */
function followingJob({ job }: StoredJob, { id, name, type, params }: OnFailure): Submission {
  const given: JsonObject = params === null ? {} : JSON.parse(params)
  const failed = { jobId: job.id, name: job.name, type: job.type, attempt: job.attempt, error: job.error }
  const context = { cause: `${job.id}.${job.version}` }
  return { id, name, type, params: JSON.stringify({ ...given, failed }), onConflict: 'keep', context }
}

/** The job that a group names for its end is made in any case: if its name is taken by then, it stands below that name. */
export async function submitFinishing(tx: Transaction, jobs: readonly Submission[]): Promise<void> {
  const results = jobs.length === 0 ? [] : await submit(tx, jobs)
  const isNameTaken = (result?: SubmitResult) => result?.outcome === 'refused' && result.error.code === 'name_taken'
  const below = jobs.filter((_, i) => isNameTaken(results[i]))
  if (below.length > 0) {
    await submit(
      tx,
      below.map((job) => ({ ...job, name: JobName.parse(job.name).child(job.id).toWire() })),
    )
  }
}
