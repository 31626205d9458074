import { onTestFinished } from 'vitest'
import { StintError } from '../../src/core/errors.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'

interface Place {
  readonly url: string
  readonly schema?: string
}

interface Kept {
  readonly store: Store
  isUsed: boolean
}

/** Stores by their schema that stay open from test to test: their connections have planned all statements, their threads run. */
const keptStores = new Map<string, readonly Kept[]>()

export function isKept(schema: string): boolean {
  return (keptStores.get(schema) ?? []).length > 0
}

/** For a schema that nobody will use again. */
export async function closeKept(schema: string): Promise<void> {
  for (const { store } of keptStores.get(schema) ?? []) await store.close()
}

/** A store that stays open after the test, unless the test closes it. Who asks twice in a test gets two, as two processes have. */
export async function keptStore(place: Place): Promise<Store> {
  const kept = await take(place)
  onTestFinished(() => {
    kept.isUsed = false
  })
  return kept.store
}

async function take(place: Place): Promise<Kept> {
  const { schema = '' } = place
  const free = keptStores.get(schema)?.find(({ isUsed }) => !isUsed)
  if (free !== undefined) {
    free.isUsed = true
    return free
  }
  const store = await openPostgresStore(place)
  const made: Kept = { store, isUsed: true }
  const close = store.close.bind(store)
  store.close = () => {
    keptStores.set(schema, keptStores.get(schema)?.filter((each) => each !== made) ?? [])
    return close()
  }
  keptStores.set(schema, [...(keptStores.get(schema) ?? []), made])
  return made
}

/**
 * A store for a Stint, which closes what it was given: beneath, it stays open for the next. To whoever had it, it is as
 * closed as any other: nothing goes on, and nothing begins.
 */
export async function lentStore(place: Place): Promise<Store> {
  const kept = await take(place)
  let isClosed = false
  const going = new Set<Promise<unknown>>()
  const listening = new Set<() => void>()

  const close = async () => {
    if (isClosed) return
    isClosed = true
    for (const stop of listening) stop()
    await Promise.allSettled(going)
    kept.isUsed = false
  }
  const call = (name: string | symbol, method: (...args: unknown[]) => unknown, args: unknown[]) => {
    if (isClosed) {
      const error = new StintError('store_closed', 'The store was closed; nothing was done.')
      if (name === 'watch' || name === 'heartbeat') throw error
      return Promise.reject(error)
    }
    const answer = method.apply(kept.store, args)
    if (answer instanceof Promise) {
      going.add(answer)
      const forget = () => void going.delete(answer)
      answer.then(forget, forget)
    }
    if (typeof answer === 'function') listening.add(answer as () => void)
    return answer
  }
  return new Proxy(kept.store, {
    get(store, name) {
      if (name === 'close') return close
      const value = Reflect.get(store, name, store)
      return typeof value === 'function' ? (...args: unknown[]) => call(name, value, args) : value
    },
  })
}
