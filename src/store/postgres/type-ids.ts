import { checkType } from '../check-input.ts'
import type { QueryClient } from '../store.ts'
import type { Statements } from './statements.ts'

/** The numbers of job types. Types are never removed, so what is known stays known. */
export class TypeIds {
  readonly #sql: Statements
  readonly #ids = new Map<string, number>()
  readonly #names = new Map<number, string>()

  constructor(sql: Statements) {
    this.#sql = sql
  }

  isKnown(types: readonly string[]): boolean {
    return types.every((type) => this.#ids.has(type))
  }

  /**
   * Makes the types that do not exist. Not inside a transaction of the caller: until its end, a new type would hold up
   * everybody else who uses it for the first time. Texts that cannot be types are left for others to refuse.
   */
  async make(client: QueryClient, types: readonly string[]): Promise<void> {
    const valid = [...new Set(types)].filter((type) => !this.#ids.has(type) && isType(type))
    const missing = valid.length === 0 ? [] : await this.#missing(client, valid)
    if (missing.length === 0) return
    await this.#sql.run(client, 'addTypes', { names: missing })
    await this.#missing(client, missing)
  }

  /** The numbers of those that exist. */
  async known(client: QueryClient, types: readonly string[]): Promise<readonly number[]> {
    await this.#missing(client, types)
    return types.flatMap((type) => this.#ids.get(type) ?? [])
  }

  /** The name of a type whose number was asked for before. */
  nameOf(id: number): string {
    return this.#names.get(id) ?? ''
  }

  /** Gives a function from type to number, for types of jobs that exist. */
  async of(client: QueryClient, types: readonly string[]): Promise<(type: string) => number> {
    await this.#missing(client, types)
    return (type) => this.idOf(type)
  }

  /** The number of a type that was made, or asked for, before. */
  idOf(type: string): number {
    const id = this.#ids.get(type)
    if (id === undefined) throw new Error(`The type ${type} has no number.`)
    return id
  }

  /** Learns what it can and tells which do not exist. */
  async #missing(client: QueryClient, types: readonly string[]): Promise<readonly string[]> {
    const unknown = [...new Set(types)].filter((type) => !this.#ids.has(type))
    if (unknown.length === 0) return []
    for (const { id, name } of await this.#sql.run<{ id: number; name: string }>(client, 'typeIds', {
      names: unknown,
    })) {
      this.#ids.set(name, id)
      this.#names.set(id, name)
    }
    return unknown.filter((type) => !this.#ids.has(type))
  }
}

function isType(type: unknown): boolean {
  try {
    return checkType(type) === type
  } catch {
    return false
  }
}
