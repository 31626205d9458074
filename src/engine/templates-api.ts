import type { Json, JsonObject } from '../core/json.ts'
import { type JobName, resolveName } from '../core/names/job-name.ts'
import type { JsonSchema, TemplateInput, TemplateRow } from '../store/controls.ts'
import type { Env } from './env.ts'
import { type LimitOption, limitInput } from './gates-api.ts'
import type { AnyJob } from './handler.ts'
import type { JobHandle } from './job-handle.ts'
import type { Page } from './jobs-api.ts'
import { pageOf, type RecordsQuery, requestOf } from './record-pages.ts'
import { jsonSchemaOf } from './standard-schema.ts'
import type { SubmitOptions } from './submit-options.ts'

/** What jobs have that do not say it themselves. */
export interface SettingsOptions
  extends Omit<TemplateInput, 'type' | 'label' | 'description' | 'params' | 'schema' | 'limits'> {
  readonly limits?: readonly LimitOption[]
}

export interface TemplateOptions extends SettingsOptions {
  /** A name for people. */
  readonly label?: string | null
  readonly description?: string | null
  /** Default params. What a job says is merged over them, by the first level. */
  readonly params?: JsonObject
  /** JSON Schema that the params of its jobs must fit. Default that of the job's definition, where it can give one. */
  readonly schema?: JsonSchema | null
}

export interface NewTemplateOptions extends TemplateOptions {
  /** Its place in the tree, `/reports/daily`. */
  readonly path: string
  /** The type of its jobs, or their definition. */
  readonly job: AnyJob | string
}

/** A template as it is shown. */
export interface TemplateView extends Omit<TemplateRow, 'createdAt' | 'updatedAt'> {
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Templates: what jobs are made of, again and again. */
export class TemplatesApi {
  readonly #env: Env
  readonly #namespace: JobName
  readonly #submit: (job: string | undefined, params: unknown, options: SubmitOptions) => Promise<JobHandle<Json>>

  constructor(
    env: Env,
    namespace: JobName,
    submit: (job: string | undefined, params: unknown, options: SubmitOptions) => Promise<JobHandle<Json>>,
  ) {
    this.#env = env
    this.#namespace = namespace
    this.#submit = submit
  }

  async create({ path, job, ...options }: NewTemplateOptions): Promise<TemplateView> {
    const { store, newId } = this.#env
    const schema = options.schema ?? (typeof job === 'string' ? null : jsonSchemaOf(job.params))
    const type = typeof job === 'string' ? job : job?.type
    const input = { ...inputOf({ ...defaultsOf(job), ...options }), id: newId(), path: this.#path(path), type, schema }
    return viewOf(await store.control('template.create', input))
  }

  /** By id or path; null when there is none. A path finds no archived template. */
  async get(template: string): Promise<TemplateView | null> {
    const row = await this.#env.store.control('template.get', { template })
    return row === null ? null : viewOf(row)
  }

  /** Templates, the newest first. */
  async list(query: RecordsQuery = {}): Promise<Page<TemplateView>> {
    return pageOf(await this.#env.store.control('template.list', requestOf(query)), viewOf)
  }

  /** Changes what new jobs get. Those that were made of it stay as they are. */
  async update(template: string, changes: TemplateOptions): Promise<TemplateView> {
    return viewOf(await this.#env.store.control('template.change', { template, changes: inputOf(changes) }))
  }

  /** CREATED becomes ACTIVE, which its first use does, too. */
  async activate(template: string): Promise<TemplateView> {
    return viewOf(await this.#env.store.control('template.activate', { template }))
  }

  /** No more jobs are made of it, and its schedules stop. */
  async archive(template: string): Promise<TemplateView> {
    return viewOf(await this.#env.store.control('template.archive', { template }))
  }

  /** Makes a job of it. */
  async submit(template: string, params?: JsonObject, options: SubmitOptions = {}): Promise<JobHandle<Json>> {
    return await this.#submit(undefined, params, { ...options, template })
  }

  #path(path: string): string {
    return resolveName(path, this.#namespace).toWire()
  }
}

/** What a definition says about its jobs, so that those which are made without it have it, too. */
export function defaultsOf(job: AnyJob | string | null | undefined): SettingsOptions {
  if (typeof job !== 'object' || job === null) return {}
  const { retry, timeoutMs, priority, limits } = job
  const given = Object.entries({ retry, timeoutMs, priority, limits }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given)
}

function inputOf({ limits, ...options }: TemplateOptions): Omit<TemplateInput, 'type'> {
  return { ...options, ...(limits === undefined ? {} : { limits: limits.map(limitInput) }) }
}

function viewOf(row: TemplateRow): TemplateView {
  return { ...row, createdAt: new Date(row.createdAt), updatedAt: new Date(row.updatedAt) }
}
