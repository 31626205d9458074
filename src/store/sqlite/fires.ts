import type { Fire, Fires } from '../fires.ts'
import type { Statements } from './statements.ts'

export class SqliteFires implements Fires {
  readonly #sql: Statements

  constructor(sql: Statements) {
    this.#sql = sql
  }

  add(schedule: number, at: number): boolean {
    return this.#sql.run('addFire', { schedule, at }) === 1
  }

  setJob(schedule: number, at: number, job: number): void {
    this.#sql.run('setFireJob', { schedule, at, job })
  }

  at(schedule: number, instants: readonly number[]): readonly Fire[] {
    return this.#sql.all<Fire>('firesAt', { schedule, instants: JSON.stringify(instants) })
  }
}
