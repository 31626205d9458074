import type { Answer, Answers } from '../answers/answers.ts'
import type { Statements } from './statements.ts'

export class SqliteAnswers implements Answers {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  hold(answer: Answer): Answer | null {
    const known = this.#sql.get<Answer>('readAnswer', { id: answer.id })
    if (known !== undefined) return known
    this.write(answer)
    return null
  }

  write({ expiresAt, ...answer }: Answer): void {
    this.#sql.run('writeAnswer', { ...answer, expires_at: expiresAt })
  }

  remove(id: string): void {
    this.#sql.run('removeAnswer', { id })
  }

  sweep(now: number): void {
    this.#sql.run('sweepAnswers', { now })
  }
}
