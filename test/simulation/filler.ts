import { StintError } from '../../src/core/errors.ts'
import type { NewSlotInput } from '../../src/store/controls.ts'
import type { Store } from '../../src/store/store.ts'
import type { Random } from './random.ts'
import type { Incarnation } from './virtual-clock.ts'
import type { World } from './worker-node.ts'

const slotMax = 6

/** Makes promises that jobs need, and settles every one of them: fills it, maybe twice, says that it will not come, or lets time. */
export async function keepPromises(
  { options, outside }: World,
  process: Incarnation,
  store: Store,
  random: Random,
): Promise<void> {
  const insist = insisting(process, random)
  const slots: NewSlotInput[] = []
  for (let n = 0; n < slotMax; n++) {
    const dueAt = random.chance(0.3) ? process.clock.now() + random.between(0, options.faultsForMs) : null
    const slot = { id: random.uuid(process.clock.now()), path: `/sim/promise-${n}`, dueAt, value: '"time"' }
    await insist(() => store.control('slot.create', slot))
    outside.promises.push(slot.id)
    slots.push(slot)
  }
  for (const { id, dueAt } of slots) {
    await process.clock.sleep(random.between(0, options.faultsForMs / slotMax))
    if (dueAt !== null) continue
    if (random.chance(0.25)) await insist(() => store.control('slot.fail', { slot: id, error: 'broken' }))
    else {
      const value = JSON.stringify({ of: id })
      await insist(() => store.control('slot.fill', { slot: id, value, by: 'filler' }))
      const again = random.chance(0.5) ? value : '"another"'
      await store.control('slot.fill', { slot: id, value: again, by: 'somebody else' }).catch(() => {})
    }
  }
}

/** Sends the same again until it is answered. What is there already was done before. */
function insisting(process: Incarnation, random: Random) {
  return async (call: () => Promise<unknown>): Promise<void> => {
    for (;;) {
      try {
        await call()
        return
      } catch (error) {
        if (error instanceof StintError && ['path_taken', 'slot_filled', 'slot_closed'].includes(error.code)) return
        await process.clock.sleep(random.between(50, 500))
      }
    }
  }
}
