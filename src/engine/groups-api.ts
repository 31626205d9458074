import type { GroupCounts, GroupMode, GroupStatus } from '../core/group/group.ts'
import { type JobName, resolveName } from '../core/names/job-name.ts'
import type { Controls, GroupRow, MemberRow } from '../store/controls.ts'
import { missingRecord } from '../store/missing.ts'
import type { Env } from './env.ts'
import { type FollowingJob, followingJob } from './following-job.ts'
import type { GroupResults } from './group-results.ts'
import { shortId } from './ids.ts'
import type { JobHandle, ResultOptions } from './job-handle.ts'
import { dateOf } from './job-view.ts'
import type { Page } from './jobs-api.ts'
import { pageOf, type RecordsQuery, requestOf } from './record-pages.ts'
import type { JobReference, References } from './references.ts'
import { keyIn } from './row-cursor.ts'
import type { SubmitItem } from './submitter.ts'
import { carryOutFollowUps } from './upkeep/carry-out-follow-ups.ts'

export interface NewGroupOptions {
  /** Its place in the tree, `/reports/nightly`. Made up if absent. */
  readonly path?: string
  /** Whether its members run all at once or one after the other, in the order in which they were added. */
  readonly mode: GroupMode
  /** The most members of a parallel group that run at once. Default any number. */
  readonly width?: number | null
  /** What a sequential group does when a member has failed for good: `stop` (default) leaves out the rest. */
  readonly onFailure?: 'stop' | 'continue'
  /** A name for people. */
  readonly label?: string | null
  /** A job to submit when the group is over. Its params get `group`: which group, its status and its counts. */
  readonly finish?: FollowingJob
}

/** The id or path of a group, or the group itself. A path finds no group that is over. */
export type GroupReference = string | { readonly id: string }

/** A group as it is shown. */
export interface GroupView {
  readonly id: string
  readonly path: string
  readonly label: string | null
  readonly mode: GroupMode
  readonly width: number | null
  readonly onFailure: 'stop' | 'continue'
  readonly status: GroupStatus
  /** No more jobs can be added, and its members may run. */
  readonly sealed: boolean
  /** A member failed, and those behind it were left out. */
  readonly stopped: boolean
  readonly cancelRequested: boolean
  readonly counts: GroupCounts
  /** The job that follows its end; its id is known before. */
  readonly finish: { readonly jobId: string; readonly name: string; readonly type: string } | null
  /** When the first member started. */
  readonly startedAt: Date | null
  /** When the last member was over. */
  readonly finishedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** A group, and a way to wait for its end. */
export type GroupHandle = GroupView & {
  /** Waits until all members are over, however they ended: the status says it. */
  result(options?: ResultOptions): Promise<GroupView>
}

/** A member in a list of them. */
export interface MemberView extends Omit<MemberRow, 'jobId'> {
  /** Text form of its JobRunId. */
  readonly id: string
}

interface Deps {
  readonly references: References
  readonly results: GroupResults
  readonly submitMany: (items: readonly SubmitItem[]) => Promise<readonly PromiseSettledResult<JobHandle>[]>
}

/** Groups: jobs that belong together. */
export class GroupsApi {
  readonly #env: Env
  readonly #namespace: JobName
  readonly #deps: Deps

  constructor(env: Env, namespace: JobName, deps: Deps) {
    this.#env = env
    this.#namespace = namespace
    this.#deps = deps
  }

  /** Makes a group. Its members wait until it is sealed. */
  async create({ path, finish, ...options }: NewGroupOptions): Promise<GroupHandle> {
    const id = this.#env.newId()
    const at = path === undefined ? this.#namespace.child(`group-${shortId(id)}`) : resolveName(path, this.#namespace)
    const following = finish === undefined ? null : followingJob(finish, this.#namespace, 'finish', this.#env)
    return this.#handle(await this.#control('group.create', { ...options, id, path: at.toWire(), finish: following }))
  }

  /** Adds jobs, in their order. Each has its own fate: what is wrong with one does not stop the others. */
  async add(group: GroupReference, jobs: readonly SubmitItem[]): Promise<readonly PromiseSettledResult<JobHandle>[]> {
    const { id } = await this.#require(group)
    return await this.#deps.submitMany(jobs.map((item) => ({ ...item, options: { ...item.options, group: id } })))
  }

  /** Lets its members run. No more can be added. */
  async seal(group: GroupReference): Promise<GroupHandle> {
    const row = await this.#control('group.seal', { group: refOf(group) })
    await carryOutFollowUps(this.#env)
    return this.#handle(row)
  }

  /** Makes a group of these jobs and seals it. If one of them is refused, the others are cancelled, and it throws. */
  async run({ jobs, ...options }: NewGroupOptions & { readonly jobs: readonly SubmitItem[] }): Promise<GroupHandle> {
    const group = await this.create(options)
    const refused = (await this.add(group, jobs)).find((result) => result.status === 'rejected')
    if (refused === undefined) return await this.seal(group)
    await this.cancel(group, { reason: 'one of its jobs was refused' })
    throw refused.reason
  }

  /** Cancels all members that are not over: at once what does not run, cooperatively what does. */
  async cancel(group: GroupReference, { reason = 'cancelled by the caller' } = {}): Promise<GroupHandle> {
    const { id } = await this.#control('group.cancel', { group: refOf(group), reason })
    await carryOutFollowUps(this.#env)
    return this.#handle(await this.#require(id))
  }

  /** Puts all members that have not started into another order. */
  async reorder(group: GroupReference, jobs: readonly JobReference[]): Promise<GroupHandle> {
    const stored = await this.#deps.references.requireAll(jobs)
    const jobIds = stored.map(({ job }) => job.id)
    return this.#handle(await this.#control('group.reorder', { group: refOf(group), jobIds }))
  }

  /** By id or path; null when there is none. */
  async get(group: GroupReference): Promise<GroupView | null> {
    const row = await this.#control('group.get', { group: refOf(group) })
    return row === null ? null : viewOf(row)
  }

  /** Groups, the newest first; with `all`, those that are over, too. */
  async list(query: RecordsQuery = {}): Promise<Page<GroupView>> {
    return pageOf(await this.#control('group.list', requestOf(query)), viewOf)
  }

  /** The members of a group, in their order. */
  async members(
    group: GroupReference,
    { cursor = null, limit = 100 }: { readonly cursor?: string | null; readonly limit?: number } = {},
  ): Promise<Page<MemberView>> {
    const after = keyIn(cursor)
    const { items, next } = await this.#control('group.members', { group: refOf(group), after, limit })
    const { references } = this.#deps
    return pageOf({ items, next }, ({ jobId, ...row }) => ({ id: references.idFor(row.name, jobId), ...row }))
  }

  /** Waits until all members are over, however they ended: the status says it. */
  async result(group: GroupReference, options: ResultOptions = {}): Promise<GroupView> {
    const { id } = await this.#require(group)
    return viewOf(await this.#deps.results.over(id, options))
  }

  async #require(group: GroupReference): Promise<GroupRow> {
    const ref = refOf(group)
    const row = await this.#control('group.get', { group: ref })
    if (row !== null) return row
    throw missingRecord('group', ref)
  }

  #control<N extends keyof Controls>(name: N, input: Controls[N]['input']): Promise<Controls[N]['output']> {
    return this.#env.store.control(name, input)
  }

  #handle(row: GroupRow): GroupHandle {
    return { ...viewOf(row), result: async (options) => viewOf(await this.#deps.results.over(row.id, options)) }
  }
}

/** What is no reference at all is refused by the store. */
function refOf(group: GroupReference): string {
  return typeof group === 'object' && group !== null ? group.id : group
}

function viewOf({ version: _, finish, ...row }: GroupRow): GroupView {
  const { startedAt, finishedAt, createdAt, updatedAt, ...plain } = row
  return {
    ...plain,
    finish: finish === null ? null : { jobId: finish.id, name: finish.name, type: finish.type },
    startedAt: dateOf(startedAt),
    finishedAt: dateOf(finishedAt),
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
  }
}
