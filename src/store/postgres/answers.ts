import type { Answer, Answers } from '../answers/answers.ts'
import type { QueryClient } from '../store.ts'
import type { Statements } from './statements.ts'

export class PostgresAnswers implements Answers {
  readonly #client: QueryClient
  readonly #sql: Statements

  constructor(client: QueryClient, sql: Statements) {
    this.#client = client
    this.#sql = sql
  }

  async hold({ expiresAt, ...answer }: Answer): Promise<Answer | null> {
    const params = { ...answer, expires_at: expiresAt }
    const [held] = await this.#sql.run<Answer & { isNew: boolean }>(this.#client, 'holdAnswer', params)
    if (held === undefined || held.isNew) return null
    const { isNew: _, ...known } = held
    return known
  }

  async write({ expiresAt, ...answer }: Answer): Promise<void> {
    await this.#sql.run(this.#client, 'writeAnswer', { ...answer, expires_at: expiresAt })
  }

  async remove(id: string): Promise<void> {
    await this.#sql.run(this.#client, 'removeAnswer', { id })
  }

  async sweep(now: number): Promise<void> {
    await this.#sql.run(this.#client, 'sweepAnswers', { now })
  }
}
