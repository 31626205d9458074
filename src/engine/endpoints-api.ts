import type { EndpointRow } from '../store/controls.ts'
import type { Env } from './env.ts'
import type { Page } from './jobs-api.ts'
import { pageOf } from './record-pages.ts'
import type { Attempt } from './worker/attempt.ts'

/** Where a running job is found. */
export interface EndpointView extends Omit<EndpointRow, 'registeredAt'> {
  readonly registeredAt: Date
}

export interface EndpointsQuery {
  /** Default the default namespace. */
  readonly namespace?: string
  /** The cursor of the page before. */
  readonly cursor?: string | null
  /** Default 100. */
  readonly limit?: number
}

/** Endpoints that running jobs have registered, each under a name of the job's namespace. */
export class EndpointsApi {
  readonly #env: Env
  readonly #namespace: string

  constructor(env: Env, namespace: string) {
    this.#env = env
    this.#namespace = namespace
  }

  /** The address of an endpoint; null when no open attempt has registered it. */
  async resolve(
    name: string,
    { namespace = this.#namespace }: Pick<EndpointsQuery, 'namespace'> = {},
  ): Promise<string | null> {
    return (await this.get(name, { namespace }))?.url ?? null
  }

  /** The same with the job that has registered it, and when. */
  async get(
    name: string,
    { namespace = this.#namespace }: Pick<EndpointsQuery, 'namespace'> = {},
  ): Promise<EndpointView | null> {
    const row = await this.#env.store.control('endpoint.resolve', { namespace, name })
    return row === null ? null : viewOf(row)
  }

  /** All endpoints of a namespace, by name. */
  async list(query: EndpointsQuery = {}): Promise<Page<EndpointView>> {
    const { namespace = this.#namespace, cursor: after = null, limit = 100 } = query
    return pageOf(await this.#env.store.control('endpoint.list', { namespace, after, limit }), viewOf)
  }
}

function viewOf(row: EndpointRow): EndpointView {
  return { ...row, registeredAt: new Date(row.registeredAt) }
}

/** The endpoints of the namespace of a running job. */
export interface JobEndpoints {
  /**
   * Lets other jobs of this namespace find this attempt under a name, until it is over. To register it again replaces the
   * address; while another attempt has the name, it is refused with `endpoint_taken`.
   */
  register(name: string, url: string): Promise<void>
  /** The address of an endpoint; null when no open attempt has registered it. */
  resolve(name: string): Promise<string | null>
  /** All of them, by name. */
  list(query?: Omit<EndpointsQuery, 'namespace'>): Promise<Page<EndpointView>>
  /** Takes back what this attempt has registered. False when it has not. */
  remove(name: string): Promise<boolean>
}

/** Whatever a caller in JavaScript gives, a job sees its own namespace only. */
export function endpointsOf(env: Env, attempt: Attempt): JobEndpoints {
  const { stored, token } = attempt
  const own = { job: stored.job.id, token }
  const all = new EndpointsApi(env, stored.guard.namespace)
  return {
    async register(name, url) {
      // Nobody should be sent to a job that is to stop.
      attempt.signal.throwIfAborted()
      await env.store.control('endpoint.register', { ...own, name, url })
    },
    resolve: (name) => all.resolve(name),
    list: ({ cursor = null, limit = 100 } = {}) => all.list({ cursor, limit }),
    remove: (name) => env.store.control('endpoint.remove', { ...own, name }),
  }
}
