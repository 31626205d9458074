import type { Outcome, Status } from '../../core/job/job.ts'
import { statusOf } from '../../core/job/job.ts'
import type { Slot as SlotState } from '../../core/slot/slot.ts'
import type { Controls, SlotRow } from '../../store/controls.ts'
import type { Store, StoredJob } from '../../store/store.ts'
import type { References } from '../references.ts'

/** Jobs and slots below a name and what goes from one to the other, to be drawn. */
export interface Graph {
  readonly jobs: readonly GraphJob[]
  readonly slots: readonly GraphSlot[]
  readonly edges: readonly Edge[]
}

export interface GraphJob {
  /** Text form of its JobRunId, which is also that of its output. */
  readonly id: string
  readonly name: string
  readonly type: string
  readonly status: Status
  readonly outcome: Outcome | null
}

export interface GraphSlot {
  /** Text form of its SlotId. */
  readonly id: string
  readonly path: string
  readonly label: string | null
  readonly status: SlotState['status']
}

/** A value that goes from a job or a slot to a job. */
export interface Edge {
  readonly from: string
  readonly to: string
  /** A JSON pointer into the params; null when it is only waited for; `result` when it becomes the result. */
  readonly at: string | null
}

const pageSize = 1_000

export async function graphOf(store: Store, references: References, root: StoredJob): Promise<Graph> {
  const { name } = root.job
  const idOf = (uuid: string) => references.idFor(name, uuid)
  const found = await allJobs(store, name)
  const others = madeByOthers(found, root, references)
  const jobs = found.filter((stored) => !others.has(references.idOf(stored)))
  const slots = (await allSlots(store, name)).filter(({ madeBy }) => madeBy === null || !others.has(idOf(madeBy)))
  return {
    jobs: jobs.map((stored) => {
      const { job } = stored
      const { type, outcome } = job
      return { id: references.idOf(stored), name: job.name, type, status: statusOf(job), outcome }
    }),
    slots: slots.map(({ id, path, label, status }) => ({ id: idOf(id), path, label, status })),
    edges: jobs.flatMap(({ job }): readonly Edge[] => {
      const to = idOf(job.id)
      const needs = (job.needs?.list ?? []).map(({ of, at }) => ({ from: idOf(of), to, at }))
      return job.output === null ? needs : [...needs, { from: idOf(job.output), to, at: 'result' }]
    }),
  }
}

/** Ids of jobs that had the same name before, or have it since, and of all that they submitted. Those come after them. */
function madeByOthers(jobs: readonly StoredJob[], root: StoredJob, references: References): ReadonlySet<string> {
  const others = new Set<string>()
  for (const stored of jobs) {
    const { id, name, submittedBy, task } = stored.job
    const isNamesake = name === root.job.name && id !== root.job.id
    const maker = task === null ? submittedBy?.replace(/-run-\d+$/, '') : references.idFor(name, task.of)
    if (isNamesake || others.has(maker ?? '')) others.add(references.idOf(stored))
  }
  return others
}

/** The oldest first. */
async function allJobs(store: Store, branch: string): Promise<readonly StoredJob[]> {
  const found: StoredJob[] = []
  for (let before: number | null = null; ; ) {
    const page: Awaited<ReturnType<Store['list']>> = await store.list({ branch, before, limit: pageSize })
    found.push(...page.jobs)
    if (page.next === null) return found.reverse()
    before = page.next
  }
}

async function allSlots(store: Store, path: string): Promise<readonly SlotRow[]> {
  const found: SlotRow[] = []
  for (let before: number | null = null; ; ) {
    const page: Controls['slot.list']['output'] = await store.control('slot.list', {
      path,
      withReleased: true,
      before,
      limit: pageSize,
    })
    found.push(...page.items)
    if (page.next === null) return found.reverse()
    before = page.next
  }
}
