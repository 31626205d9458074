import { isUuid } from '../../store/check-input.ts'
import type { Store } from '../../store/store.ts'
import type { Scope } from './scope.ts'

/** Whether an id is that of a job or a slot outside of a branch. What is not there at all, the store will not find. */
export async function isElsewhere(store: Store, scope: Scope, id: string): Promise<boolean> {
  if (!isUuid(id)) return false
  const [stored] = await store.find([{ id }])
  if (stored !== undefined && stored !== null) return !scope.covers(stored.job.name)
  const slot = await store.control('slot.get', { slot: id })
  return slot !== null && !scope.covers(slot.path)
}
