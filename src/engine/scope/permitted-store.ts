import type { Store } from '../../store/store.ts'

/** What gives no promise, and tells nothing of what is stored. */
const plain: ReadonlySet<PropertyKey> = new Set<keyof Store>(['kind', 'watch', 'heartbeat', 'close'])

/** A store that asks before everything that is done with it. So whoever loses a permission while they wait or read on loses it. */
export function permitted(store: Store, permit: () => Promise<void>): Store {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target)
      if (typeof method !== 'function') return method
      if (plain.has(name)) return method.bind(target)
      return async (...given: unknown[]) => {
        await permit()
        return await method.apply(target, given)
      }
    },
  })
}
