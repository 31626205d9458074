import type {
  Endpoint,
  EndpointKey,
  EndpointPage,
  Endpoints,
  LiveEndpoint,
} from '../../src/store/endpoints/endpoints.ts'
import type { ModelData } from './model-data.ts'

/** The endpoints of the model. */
export class ModelEndpoints implements Endpoints {
  readonly #data: ModelData

  constructor(data: ModelData) {
    this.#data = data
  }

  /** Nobody else is there. */
  hold({ namespace, name }: Endpoint): LiveEndpoint | null {
    return this.find(namespace, name)
  }

  write(endpoint: Endpoint): void {
    this.#data.endpoints.set(keyOf(endpoint), endpoint)
  }

  find(namespace: string, name: string): LiveEndpoint | null {
    const endpoint = this.#data.endpoints.get(keyOf({ namespace, name }))
    return endpoint === undefined ? null : this.#live(endpoint)
  }

  page({ namespace, after, limit }: EndpointPage): readonly LiveEndpoint[] {
    const wanted = this.#data.endpoints.values().filter((each) => each.namespace === namespace && each.name > after)
    const live = wanted.flatMap((endpoint) => this.#live(endpoint) ?? [])
    return live.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit)
  }

  remove(key: EndpointKey): boolean {
    const endpoint = this.#data.endpoints.get(keyOf(key))
    if (endpoint?.job !== key.job || endpoint.token !== key.token) return false
    this.#data.endpoints.delete(keyOf(key))
    return true
  }

  #live(endpoint: Endpoint): LiveEndpoint | null {
    const job = this.#data.jobs.get(endpoint.job)?.job
    const isOpen = job?.phase === 'running' || job?.phase === 'awaiting'
    return isOpen && job.token === endpoint.token ? { ...endpoint, jobName: job.name } : null
  }
}

function keyOf({ namespace, name }: Pick<EndpointKey, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}
