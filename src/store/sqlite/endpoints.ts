import type { Endpoint, EndpointKey, EndpointPage, Endpoints, LiveEndpoint } from '../endpoints/endpoints.ts'
import type { Statements } from './statements.ts'

export class SqliteEndpoints implements Endpoints {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  /** The transaction holds the whole file already. */
  hold({ namespace, name }: Endpoint): LiveEndpoint | null {
    return this.find(namespace, name)
  }

  write(endpoint: Endpoint): void {
    this.#sql.run('writeEndpoint', { ...endpoint, registered_at: endpoint.registeredAt })
  }

  find(namespace: string, name: string): LiveEndpoint | null {
    return this.#sql.get<LiveEndpoint>('liveEndpoint', { namespace, name }) ?? null
  }

  page({ namespace, after, limit }: EndpointPage): readonly LiveEndpoint[] {
    return this.#sql.all<LiveEndpoint>('liveEndpoints', { namespace, after, limit })
  }

  remove({ namespace, name, job, token }: EndpointKey): boolean {
    return this.#sql.run('removeEndpoint', { namespace, name, job, token }) > 0
  }
}
