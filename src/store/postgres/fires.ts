import type { Fire, Fires } from '../fires.ts'
import type { QueryClient } from '../store.ts'
import type { Statements } from './statements.ts'

export class PostgresFires implements Fires {
  readonly #client: QueryClient
  readonly #sql: Statements

  constructor(client: QueryClient, sql: Statements) {
    this.#client = client
    this.#sql = sql
  }

  async add(schedule: number, at: number): Promise<boolean> {
    return (await this.#sql.run(this.#client, 'addFire', { schedule, at })).length === 1
  }

  async setJob(schedule: number, at: number, job: number): Promise<void> {
    await this.#sql.run(this.#client, 'setFireJob', { schedule, at, job })
  }

  async at(schedule: number, instants: readonly number[]): Promise<readonly Fire[]> {
    return await this.#sql.run<Fire>(this.#client, 'firesAt', { schedule, instants })
  }
}
