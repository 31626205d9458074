import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { StintError, show } from '../../core/errors.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { Stint } from '../../engine/stint.ts'
import { systemPath } from '../../store/system-path.ts'
import type { Access } from '../access/access.ts'
import { type OperationParams, operationCounts, operationParams, operationType } from './operation-job.ts'

/** An operation as it is shown. */
export interface OperationView {
  readonly id: string
  readonly action: OperationParams['action']
  readonly filter: OperationParams['filter']
  readonly status: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'
  readonly counts: z.output<typeof operationCounts>
  readonly error: string | null
  readonly requestedBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

const path = systemPath('operations')

/** Operations on many jobs. Each is a job of its own, so it is durable, goes on after a crash, and can be cancelled. */
export class Operations {
  readonly #stint: Stint

  constructor(stint: Stint) {
    this.#stint = stint
  }

  /** With the same id it is begun once. */
  async begin(
    access: Access,
    asked: Pick<OperationParams, 'action' | 'filter' | 'reason'>,
    { id = randomUUID() }: { readonly id?: string } = {},
  ): Promise<OperationView> {
    const params = { ...asked, scope: access.path, actor: access.actor }
    const job = await this.#stint.submit(operationType, params, { id, name: systemPath('operations', id) })
    return await this.get(access, job.id)
  }

  /** One that was asked for by somebody who reaches less or other things is not seen. */
  async get(access: Access, id: string): Promise<OperationView> {
    const job = await this.#find(access, id)
    return await this.#view(job)
  }

  async list(access: Access, query: { cursor?: string; limit?: number }) {
    const { items, cursor } = await this.#stint.jobs.list({ ...query, branch: path })
    const own = items.filter((job) => isOf(access, job))
    return { items: await Promise.all(own.map((job) => this.#view(job))), cursor }
  }

  async cancel(access: Access, id: string): Promise<OperationView> {
    const job = await this.#find(access, id)
    await this.#stint.jobs.cancel(job.id, { reason: `cancelled by ${access.actor}` })
    return await this.get(access, id)
  }

  async #find(access: Access, id: string): Promise<JobView> {
    const job = await this.#stint.jobs.get(id)
    if (job !== null && job.type === operationType && isOf(access, job)) return job
    throw new StintError('not_found', `There is no operation ${show(id)}.`, { operation: id })
  }

  async #view(job: JobView): Promise<OperationView> {
    const { action, filter, actor } = operationParams.parse(job.params)
    return {
      id: job.id,
      action,
      filter,
      status: statusOf(job),
      counts: await this.#counts(job),
      error: job.error,
      requestedBy: actor,
      createdAt: job.createdAt,
      finishedAt: job.finishedAt,
    }
  }

  async #counts({ id, result }: JobView): Promise<z.output<typeof operationCounts>> {
    const ended = operationCounts.safeParse(result)
    if (ended.success) return ended.data
    const { checkpoint } = await this.#stint.jobs.notes(id)
    const saved = operationCounts.safeParse((checkpoint as { counts?: unknown } | null)?.counts)
    return saved.success ? saved.data : { done: 0, refused: 0, firstRefusal: null }
  }
}

function isOf({ path: reach }: Access, { params }: JobView): boolean {
  if (reach === null) return true
  const { scope } = operationParams.parse(params)
  return scope !== null && (scope === reach || scope.startsWith(`${reach}/`))
}

function statusOf({ status, outcome }: JobView): OperationView['status'] {
  if (status !== null) return status
  return outcome === 'COMPLETED' ? 'DONE' : 'FAILED'
}
