import type { Client } from '../../client/client.ts'
import type { GroupView } from '../../engine/groups-api.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { ShardedJobState } from '../../engine/shards/shards-api.ts'
import { noteOf } from '../shapes/job.ts'
import { statusOf } from '../shapes/status.ts'

/** Something whose progress is looked at: a job, a group, a task, a branch. */
export interface Watched {
  readonly name: string
  readonly status: string
  /** How far it is; null where nobody tells. */
  readonly progress: { readonly done: number; readonly total: number | null } | null
  readonly note: string
  readonly isOver: boolean
  /** Since when it runs. */
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly parts: readonly Watched[]
}

/** The most parts that are shown of one thing. */
const partsMax = 12

/** Reads one thing again and again. Null when it is not there. */
export type Look = () => Promise<Watched | null>

export function lookAtJob(client: Client, job: string): Look {
  // Whether it is split into tasks is known at the latest when it has been.
  let isSharded = true
  return async () => {
    const view = await client.jobs.get(job)
    if (view === null) return null
    const shards = isSharded ? await shardsOf(client, view) : null
    isSharded = shards !== null || view.status === 'QUEUED' || view.startedAt === null || isYoung(view.startedAt)
    if (shards !== null) return await watchedShards(client, view, shards)
    const { progress } = view.attempt === 0 ? { progress: null } : await client.jobs.notes(view.id)
    return { ...watchedJob(view), progress }
  }
}

function isYoung(startedAt: Date): boolean {
  return Date.now() - startedAt.getTime() < 10_000
}

async function shardsOf(client: Client, { id, attempt }: JobView): Promise<ShardedJobState | null> {
  return attempt === 0 ? null : await client.shards.get(id)
}

function watchedJob(view: JobView): Watched {
  return {
    name: view.name,
    status: statusOf(view),
    progress: null,
    note: noteOf(view),
    isOver: view.state === 'final',
    startedAt: view.startedAt,
    finishedAt: view.finishedAt,
    parts: [],
  }
}

async function watchedShards(client: Client, view: JobView, shards: ShardedJobState): Promise<Watched> {
  const { total, done, failed, active, fraction } = shards
  const counts = [
    `${done} of ${total} tasks done`,
    ...(active > 0 ? [`${active} open`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ]
  const open = view.state === 'final' ? [] : await openTasks(client, view.id, done + failed)
  return {
    ...watchedJob(view),
    progress: { done: Math.round(fraction * 1_000), total: 1_000 },
    note: view.error ?? counts.join(', '),
    parts: open.slice(0, partsMax),
  }
}

/** Tasks that are under way: those that have begun and are not over. They begin in order, so they stand around those that are. */
async function openTasks(client: Client, job: string, over: number): Promise<readonly Watched[]> {
  const { items } = await client.shards.tasks(job, { cursor: String(Math.max(0, over - 100)), limit: 300 })
  return items
    .filter(({ status, slice }) => status === 'RUNNING' && slice > 0)
    .map(({ name, status, progress, error }) => ({
      name,
      status,
      progress: progress === null ? null : { done: progress[0], total: progress[1] },
      note: error ?? '',
      isOver: false,
      startedAt: null,
      finishedAt: null,
      parts: [],
    }))
}

export function lookAtGroup(client: Client, group: string): Look {
  // Its path is free for others once it is over; its id stays its own.
  let id = group
  return async () => {
    const view = await client.groups.get(id)
    if (view === null) return null
    id = view.id
    return await watchedGroup(client, view)
  }
}

async function watchedGroup(client: Client, view: GroupView): Promise<Watched> {
  const { total, completed, failed, cancelled, skipped } = view.counts
  const over = completed + failed + cancelled + skipped
  const counts = [
    `${completed} of ${total} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} left out`] : []),
  ]
  const isOver = view.finishedAt !== null
  return {
    name: view.path,
    status: view.status,
    progress: { done: over, total },
    note: counts.join(', '),
    isOver,
    startedAt: view.startedAt,
    finishedAt: view.finishedAt,
    parts: isOver ? [] : await runningMembers(client, view.id),
  }
}

async function runningMembers(client: Client, group: string): Promise<readonly Watched[]> {
  const { items } = await client.groups.members(group, { limit: 1_000 })
  const running = items.filter(({ status }) => status === 'RUNNING').slice(0, partsMax)
  const looked = await Promise.all(running.map(({ id }) => lookAtJob(client, id)()))
  return looked.filter((each) => each !== null)
}

/** All that runs at a path and below, or everywhere. It is never over. */
export function lookAtBranch(client: Client, branch: string | null): Look {
  return async () => {
    const of = branch === null ? {} : { branch }
    const [running, queued] = await Promise.all([
      client.jobs.list({ ...of, status: 'RUNNING', limit: 50 }),
      client.jobs.list({ ...of, status: 'QUEUED', limit: 1_000 }),
    ])
    const looked = await Promise.all(running.items.slice(0, partsMax).map(({ id }) => lookAtJob(client, id)()))
    const count = (items: readonly unknown[], cursor: string | null) => `${items.length}${cursor === null ? '' : '+'}`
    return {
      name: branch ?? 'all jobs',
      status: running.items.length > 0 ? 'RUNNING' : 'QUEUED',
      progress: null,
      note: `${count(running.items, running.cursor)} running, ${count(queued.items, queued.cursor)} waiting`,
      isOver: false,
      startedAt: null,
      finishedAt: null,
      parts: looked.filter((each) => each !== null).map((each) => ({ ...each, parts: [] })),
    }
  }
}
