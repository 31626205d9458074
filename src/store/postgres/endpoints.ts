import type { Endpoint, EndpointKey, EndpointPage, Endpoints, LiveEndpoint } from '../endpoints/endpoints.ts'
import type { QueryClient } from '../store.ts'
import type { Statements } from './statements.ts'

export class PostgresEndpoints implements Endpoints {
  readonly #client: QueryClient
  readonly #sql: Statements

  constructor(client: QueryClient, sql: Statements) {
    this.#client = client
    this.#sql = sql
  }

  async hold(endpoint: Endpoint): Promise<LiveEndpoint | null> {
    await this.#sql.run(this.#client, 'holdEndpoint', { ...endpoint, registered_at: endpoint.registeredAt })
    return await this.find(endpoint.namespace, endpoint.name)
  }

  async write(endpoint: Endpoint): Promise<void> {
    await this.#sql.run(this.#client, 'writeEndpoint', { ...endpoint, registered_at: endpoint.registeredAt })
  }

  async find(namespace: string, name: string): Promise<LiveEndpoint | null> {
    const [found] = await this.#sql.run<LiveEndpoint>(this.#client, 'liveEndpoint', { namespace, name })
    return found ?? null
  }

  async page({ namespace, after, limit }: EndpointPage): Promise<readonly LiveEndpoint[]> {
    return await this.#sql.run<LiveEndpoint>(this.#client, 'liveEndpoints', { namespace, after, limit })
  }

  async remove({ namespace, name, job, token }: EndpointKey): Promise<boolean> {
    return (await this.#sql.run(this.#client, 'removeEndpoint', { namespace, name, job, token })).length > 0
  }
}
