import { StintError } from '../core/errors.ts'
import { step } from '../core/job/decide.ts'
import { changeOf } from './change.ts'
import { positionOf } from './event-data.ts'
import { missingJob } from './missing.ts'
import type { MoveRequest, StoredJob } from './store.ts'
import type { Transaction } from './transaction.ts'
import { writeAndWake } from './write.ts'

/** How many jobs may be pushed aside for one to find room. Positions have gaps, so it is nearly always none. */
const pushMax = 1_000

interface Place {
  readonly priority: number
  readonly position: number
}

/** Gives a job another place in the queue, in one transaction. */
export async function move(tx: Transaction, request: MoveRequest): Promise<StoredJob> {
  const { to } = request
  const target = typeof to === 'string' ? null : 'before' in to ? to.before : to.after
  const ids = [request.jobId, ...(target === null ? [] : [target])]
  await tx.lock(ids)
  const found = new Map((await tx.load(ids)).map((stored) => [stored.job.id, stored]))
  const stored = required(found, request.jobId)
  if (target === request.jobId) return stored
  const place =
    typeof to === 'string'
      ? await placeAt(tx, stored, to)
      : await placeBy(tx, stored, required(found, target ?? ''), 'before' in to ? 'before' : 'after')
  return await put(tx, stored, place, request)
}

async function placeAt(tx: Transaction, { job, guard }: StoredJob, to: 'front' | 'end'): Promise<Place> {
  const { priority } = job
  if (to === 'end') {
    const [pk = guard.pk] = await tx.reserve(1)
    return { priority, position: positionOf(pk) }
  }
  const first = await tx.nextPosition(priority, Number.MIN_SAFE_INTEGER, 'up')
  return { priority, position: Math.min(first ?? job.position, job.position) - positionOf(1) }
}

/** Halfway to the neighbour; where there is no room between the two, those behind are pushed aside by one. */
async function placeBy(
  tx: Transaction,
  moved: StoredJob,
  { job: { priority, position } }: StoredJob,
  side: 'before' | 'after',
): Promise<Place> {
  const isBefore = side === 'before'
  const neighbour = await tx.nextPosition(priority, position, isBefore ? 'down' : 'up')
  const free = neighbour ?? position + (isBefore ? -2 : 2) * positionOf(1)
  const middle = Math.floor((position + free) / 2)
  if (middle !== position && middle !== free) return { priority, position: middle }
  const wanted = isBefore ? position : position + 1
  await pushAside(tx, moved, { priority, position: wanted })
  return { priority, position: wanted }
}

async function pushAside(tx: Transaction, moved: StoredJob, from: Place): Promise<void> {
  const pushed: StoredJob[] = []
  for (let position = from.position; ; position++) {
    const there = (await tx.readyAt(from.priority, position)).filter(({ guard }) => guard.pk !== moved.guard.pk)
    if (there.length === 0) break
    pushed.push(...there)
    if (pushed.length > pushMax) throw noRoom(moved)
  }
  for (const stored of pushed.reverse()) await put(tx, stored, { ...from, position: stored.job.position + 1 }, {})
}

async function put(
  tx: Transaction,
  stored: StoredJob,
  { priority, position }: Place,
  { context }: Pick<MoveRequest, 'context'>,
): Promise<StoredJob> {
  const { job } = stored
  const changes = {
    ...(priority === job.priority ? {} : { priority }),
    ...(position === job.position ? {} : { position }),
  }
  const made = step(job, { type: 'edit', changes }, tx.now, context)
  if (made.events.length === 0) return stored
  const change = changeOf(stored, made)
  const { written } = await writeAndWake(tx, [change])
  if (!written.has(stored.guard.pk)) throw noRoom(stored)
  return change.after
}

function required(found: ReadonlyMap<string, StoredJob>, id: string): StoredJob {
  const stored = found.get(id)
  if (stored !== undefined) return stored
  throw missingJob(id)
}

function noRoom({ job }: StoredJob): StintError {
  return new StintError('conflict', `Job ${job.id} was changed by others, or found no room; nothing was moved.`, {
    jobId: job.id,
  })
}
