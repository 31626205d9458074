/** What a transaction has done so far, backwards. A method that throws leaves the data as it found them. */
export class Journal {
  readonly #undos: (() => void)[] = []

  record(undo: () => void): void {
    this.#undos.push(undo)
  }

  commit(): void {
    this.#undos.length = 0
  }

  rollback(): void {
    for (let undo = this.#undos.pop(); undo !== undefined; undo = this.#undos.pop()) undo()
  }
}

/** A map whose changes can be taken back. Values are never changed in place: then an old value is all that is needed. */
export class Table<K, V> {
  readonly #rows = new Map<K, V>()
  readonly #journal: Journal

  constructor(journal: Journal) {
    this.#journal = journal
  }

  get size(): number {
    return this.#rows.size
  }

  get(key: K): V | undefined {
    return this.#rows.get(key)
  }

  has(key: K): boolean {
    return this.#rows.has(key)
  }

  values(): readonly V[] {
    return [...this.#rows.values()]
  }

  entries(): readonly (readonly [K, V])[] {
    return [...this.#rows]
  }

  set(key: K, value: V): void {
    this.#keepFor(key)
    this.#rows.set(key, value)
  }

  delete(key: K): void {
    this.#keepFor(key)
    this.#rows.delete(key)
  }

  #keepFor(key: K): void {
    const before = this.#rows.get(key)
    const existed = this.#rows.has(key)
    this.#journal.record(() => {
      if (existed) this.#rows.set(key, before as V)
      else this.#rows.delete(key)
    })
  }
}
