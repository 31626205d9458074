import { Gatekeeper } from '../core/gates/gatekeeper.ts'
import type { LimitInput } from '../core/gates/limit.ts'
import { isPath, type LimitState, roomOf } from '../core/gates/limit.ts'
import { holdsPaths } from '../core/job/job.ts'
import { JobName } from '../core/names/job-name.ts'
import { asks } from './change.ts'
import { startGroups } from './groups/starts.ts'
import { heldJobs } from './touch.ts'
import { type Change, followUpKinds, type NewPause, type Permit, type Transaction } from './transaction.ts'

/** A job that a claim is about to take from the ready ones. */
export interface Claimable {
  readonly pk: number
  readonly name: string
  /** By key. None for an attempt that is open already: it holds them. */
  readonly limits: readonly string[]
  readonly scheduledFor: number
  readonly groupId: string | null
}

/** What became of jobs at the gates. What is in neither list waits for somebody who is at its limit, and is where it was. */
export interface PassedGates<Job> {
  readonly passed: readonly Job[]
  readonly shutOut: readonly Job[]
}

/**
 * Of jobs that are about to be claimed, in their order, those that may start; what they hold of limits from then on is
 * written. The others leave the ready ones and wait at the gate that is shut. A limit that somebody else is at is not
 * waited for: jobs that need it stay where they are.
 */
export async function passGates<Job extends Claimable>(
  tx: Transaction,
  jobs: readonly Job[],
): Promise<PassedGates<Job>> {
  const { pauses, limits: paths } = await tx.gates.pathGates()
  const keys = [...new Set([...jobs.flatMap(({ limits }) => limits), ...paths])].sort()
  const { limits, busy } = keys.length === 0 ? { limits: [], busy: [] } : await tx.gates.holdLimits(keys)
  const keeper = new Gatekeeper(pauses, limits)
  const passed: Job[] = []
  const permits: Permit[] = []
  const parked: { pk: number; gate: number }[] = []
  const shutOut: Job[] = []
  for (const job of jobs) {
    if (busy.some((key) => concerns(key, job))) continue
    const verdict = keeper.judge(job)
    if (verdict.pass) {
      passed.push(job)
      permits.push(...verdict.limits.flatMap((limit) => permitsOf(limit, job, tx.now)))
    } else {
      parked.push({ pk: job.pk, gate: 'pause' in verdict ? -verdict.pause.id : verdict.limit.id })
      shutOut.push(job)
    }
  }
  if (parked.length > 0) await tx.gates.park(parked)
  if (permits.length > 0) await tx.gates.addPermits(permits)
  await leaveRoom(tx, keeper, shutOut)
  await startGroups(
    tx,
    passed.flatMap(({ groupId }) => groupId ?? []),
  )
  return { passed, shutOut }
}

/** One limit may have let a job go that another gate shuts out: what it does not take is for the next. */
async function leaveRoom(tx: Transaction, keeper: Gatekeeper, shutOut: readonly Claimable[]): Promise<void> {
  const left = new Map(shutOut.flatMap((job) => keeper.limitsOf(job)).map((limit) => [limit.id, roomOf(limit)]))
  for (const [id, room] of left) if (room > 0) await openGate(tx, id, room)
}

function concerns(key: string, { name, limits }: Claimable): boolean {
  return limits.includes(key) || (isPath(key) && JobName.parse(key).isAncestorOf(JobName.parse(name)))
}

function permitsOf({ id, rate }: LimitState, { pk, scheduledFor }: Claimable, now: number): readonly Permit[] {
  const open: Permit = { limit_id: id, kind: 0, job: pk, release_at: null }
  if (rate === null) return [open]
  return [open, { limit_id: id, kind: 1, job: pk, release_at: Math.max(now, scheduledFor) + rate.perMs }]
}

/** Attempts are over: what they held is free, and whoever waits for it may ask again. */
export async function freeLimits(tx: Transaction, changes: readonly Change[]): Promise<void> {
  const over = changes.filter((change) => asks(change, 'freeLimits')).map(({ after }) => after.guard.pk)
  if (over.length > 0) await openLimits(tx, await tx.gates.freePermits(over))
  const waiting = changes.filter((change) => asks(change, 'freePaths')).map(({ after }) => after.guard.pk)
  if (waiting.length > 0) await openLimits(tx, await tx.gates.freePathPermits(waiting))
}

/**
 * Queued jobs that do not start, because they were cancelled, ran out of time or were put off: a limit may have let them
 * go before, and then nobody else would ever hear that there is room.
 */
export async function passOn(tx: Transaction, changes: readonly Change[]): Promise<void> {
  const gone = changes.filter(({ before, after }) => {
    return before.job.phase === 'queued' && (after.job.phase !== 'queued' || after.job.scheduledFor > tx.now)
  })
  if (gone.length === 0) return
  const keys = new Set(gone.flatMap(({ before: { job } }) => [...job.limits, ...pathsOver(job.name)]))
  await openLimits(tx, await tx.gates.limitIds([...keys]))
}

/** A name and all above it, the nearest first. */
export function pathsOver(name: string): readonly string[] {
  const paths: string[] = []
  for (let path: JobName | null = JobName.parse(name); path !== null; path = path.parent) paths.push(path.toWire())
  return paths
}

/** How many jobs leave a gate in one transaction at the most. */
const openMax = 1_000

/** As many of those that wait may ask again as there is room for: of each type, because a worker may not know them all. */
export async function openLimits(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  for (const limit of await tx.gates.limitsById([...new Set(ids)])) {
    const room = roomOf(limit)
    if (room > 0) await openGate(tx, limit.id, room)
  }
}

/** Lets jobs leave a gate; what is beyond one transaction is left to upkeep. */
export async function openGate(tx: Transaction, gate: number, count: number): Promise<void> {
  const most = Math.min(openMax, count)
  const opened = most === 0 ? 0 : await tx.gates.openGate(gate, most)
  if (opened < most || count <= openMax) return
  const data = JSON.stringify({ gate, left: Number.isFinite(count) ? count - openMax : null })
  await tx.addFollowUps([{ kind: followUpKinds.openGate, job: null, data }])
}

/** Sets a limit, and lets those who waited for more of it ask again. */
export async function setLimit(tx: Transaction, limit: LimitInput): Promise<void> {
  if (isPath(limit.key)) await tx.gates.shutOutClaims()
  await tx.gates.setLimits([limit])
  if (isPath(limit.key)) await holdOpenBelow(tx, limit.key)
  const { limits } = await tx.gates.holdLimits([limit.key])
  await openLimits(
    tx,
    limits.map(({ id }) => id),
  )
}

/** An attempt that ends at this moment has freed what it held before it held this, so each is looked at once more. */
async function holdOpenBelow(tx: Transaction, path: string): Promise<void> {
  const ids = await tx.gates.holdRunningBelow(path)
  if (ids.length === 0) return
  const over = (await heldJobs(tx, ids)).filter(({ job }) => !holdsPaths(job))
  if (over.length > 0) await tx.gates.freePathPermits(over.map(({ guard }) => guard.pk))
}

/** Whoever is told that a branch or a type is paused sees nothing of it start after that. */
export async function pause(tx: Transaction, pause: NewPause): Promise<void> {
  await tx.gates.shutOutClaims()
  await tx.gates.pause(pause)
}

export async function removeLimit(tx: Transaction, key: string): Promise<boolean> {
  const id = await tx.gates.removeLimit(key)
  if (id !== null) await openGate(tx, id, Number.POSITIVE_INFINITY)
  return id !== null
}

export async function resume(tx: Transaction, pause: Pick<NewPause, 'path' | 'type'>): Promise<boolean> {
  const id = await tx.gates.resume(pause)
  if (id !== null && pause.path !== null) await openGate(tx, -id, Number.POSITIVE_INFINITY)
  return id !== null
}

/** The pause of the highest branch that a name lies in. */
export function pathOver<Pause extends { readonly path: string }>(
  pauses: readonly Pause[],
  name: string,
): Pause | null {
  const own = JobName.parse(name)
  return pauses.find(({ path }) => JobName.parse(path).isAncestorOf(own)) ?? null
}
