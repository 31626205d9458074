import { JobName } from '../../src/core/names/job-name.ts'
import { depthRows, type SeatCount } from '../../src/store/reads/depths.ts'
import { byBytes, countMax, lookedMax, type TreeParams } from '../../src/store/reads/tree.ts'
import type { CappedCount, DepthRow, StoredJob, TreeNode, TreePage } from '../../src/store/store.ts'
import { type ModelData, nameHandle } from './model-data.ts'

/** The children of a path, said plainly: all jobs below it, by their next component. */
export function tree(data: ModelData, { prefix, after, limit }: TreeParams): TreePage {
  const below = data.jobs.values().filter(({ job }) => job.name.startsWith(prefix))
  const byPart = Map.groupBy(below, ({ job }) => job.name.slice(prefix.length).split('/')[0] ?? '')
  const parts = [...byPart.keys()].filter((part) => byBytes(part, after) > 0 && !isTask(prefix + part)).sort(byBytes)
  const shown = parts.slice(0, limit)
  const nodes = shown.map((part) => nodeOf(data, prefix + part, byPart.get(part) ?? []))
  return { nodes, next: parts.length > limit ? (shown.at(-1) ?? null) : null }
}

function isTask(path: string): boolean {
  return JobName.parse(path).isTask
}

function nodeOf(data: ModelData, path: string, jobs: readonly StoredJob[]): TreeNode {
  const isLive = ({ job, guard }: StoredJob) => data.handles.get(nameHandle(job.name)) === guard.pk
  const live = jobs.filter(isLive).length
  const inOrder = jobs.toSorted((a, b) => byBytes(a.job.name, b.job.name) || a.guard.pk - b.guard.pk)
  const ended = inOrder.slice(0, lookedMax).filter((stored) => !isLive(stored)).length
  return {
    path,
    job: jobs.some(({ job }) => job.name === path),
    branch: jobs.some(({ job }) => job.name !== path && !isTask(job.name.slice(path.length))),
    live: capped(live),
    // Of a branch with very many live jobs only some are looked at.
    finished: live > countMax ? { ...capped(ended), more: jobs.length >= lookedMax } : capped(jobs.length - live),
  }
}

function capped(count: number): CappedCount {
  return { count: Math.min(count, countMax), more: count > countMax }
}

/** Nothing is parked here, so nothing is gated. */
export function depths(data: ModelData): readonly DepthRow[] {
  const seats = (isSeated: (stored: StoredJob) => boolean) => {
    const jobs = data.jobs.values().filter(isSeated)
    const groups = Map.groupBy(jobs, ({ job, guard }) => `${guard.namespace} ${job.type}`)
    return [...groups.values()].flatMap((group): readonly SeatCount[] => {
      const [first] = group.toSorted((a, b) => a.guard.pk - b.guard.pk)
      if (first === undefined) return []
      const { job, guard } = first
      return [{ namespace: guard.namespace, type: job.type, count: group.length, oldest: job.scheduledFor }]
    })
  }
  const isReady = ({ guard }: StoredJob) => data.ready.has(guard.pk)
  return depthRows({
    ready: seats(isReady),
    delayed: seats((stored) => stored.job.phase === 'queued' && !isReady(stored)).map(withoutTime),
    gated: [],
    running: seats(({ job }) => job.phase === 'running').map(withoutTime),
  })
}

function withoutTime({ oldest: _, ...count }: SeatCount): SeatCount {
  return count
}
