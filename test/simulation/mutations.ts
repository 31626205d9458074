import type { Store } from '../../src/store/store.ts'
import type { Table } from './journal.ts'
import type { ModelStore } from './model-store.ts'

/** How bugs are planted in the model and in code that stores share. */

/** What a mutant changes beside a transaction is committed with its call: the rollback of another must not undo it. */
export function committing(store: ModelStore, methods: Partial<Store>): Partial<Store> {
  const committed = Object.entries(methods).map(([name, method]) => {
    const call = method as (...args: readonly unknown[]) => Promise<unknown>
    return [name, (...args: readonly unknown[]) => call(...args).finally(() => store.data.journal.commit())]
  })
  return Object.fromEntries(committed)
}

/** Replaces a method for every object of a class, and gives back how to undo it. */
export function patched<T extends object, K extends keyof T>(prototype: T, name: K, method: T[K]): () => void {
  const original = prototype[name]
  prototype[name] = method
  return () => {
    prototype[name] = original
  }
}

/** Does something while a table has other rows, and then puts its own back. */
export async function whileChanged<K, V, T>(
  table: Table<K, V>,
  change: (key: K, row: V) => V | null,
  act: () => Promise<T>,
): Promise<T> {
  const rows = table.entries()
  for (const [key, row] of rows) {
    const changed = change(key, row)
    if (changed === null) table.delete(key)
    else if (changed !== row) table.set(key, changed)
  }
  const done = await act()
  for (const [key, row] of rows) if (change(key, row) !== row) table.set(key, row)
  return done
}
