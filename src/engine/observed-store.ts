import type { Store, StoredJob } from '../store/store.ts'
import type { Hub } from './hub.ts'

/** A store that tells the hub what this process changed, after it is durable. */
export function observed(store: Store, hub: Hub): Store {
  const tell = (jobs: readonly StoredJob[]) => {
    let isReady = false
    const ended: StoredJob[] = []
    for (const stored of jobs) {
      const { job } = stored
      if (job.state === 'final') ended.push(stored)
      else if (job.phase === 'pending') hub.upkeep.tell()
      else if (job.phase === 'queued' && job.scheduledFor > job.updatedAt) hub.dueAt(job.scheduledFor)
      else if (job.phase === 'queued') isReady = true
    }
    if (isReady) hub.ready()
    if (ended.length > 0) hub.ended(ended)
  }
  return overriding(store, {
    async submit(submissions, options) {
      const results = await store.submit(submissions, options)
      tell(results.flatMap((result) => (result.outcome === 'refused' ? [] : [result.stored])))
      return results
    },
    async apply(requests, options) {
      const results = await store.apply(requests, options)
      tell(results.flatMap((result) => (result.ok ? [result.stored] : [])))
      // Whoever has stopped, or was asked to, concerns others: those who wait for a name, and the worker that holds it.
      if (requests.some(({ command }) => command.type === 'cancel')) hub.tellAll()
      return results
    },
    async append(events, options) {
      const results = await store.append(events, options)
      hub.tellAll()
      return results
    },
    async followUp(request) {
      const more = await store.followUp(request)
      if (more) hub.tellAll()
      return more
    },
  })
}

/** The same store with some methods of another. The others keep their own `this`. */
export function overriding(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name, target)
      return typeof method === 'function' && !(name in methods) ? method.bind(target) : method
    },
  })
}
