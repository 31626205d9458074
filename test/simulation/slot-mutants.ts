import type { Slot } from '../../src/core/slot/slot.ts'
import { overriding } from '../../src/engine/observed-store.ts'
import type { Store } from '../../src/store/store.ts'
import type { Planted } from './cluster.ts'
import type { ModelStore } from './model-store.ts'
import { ModelTransaction } from './model-transaction.ts'
import type { Mutant } from './mutants.ts'
import { committing, patched } from './mutations.ts'

const withSlots = (): Planted => ({ slots: true })

/** Whoever fills a slot again changes its value. */
function fillingAgain(store: ModelStore): Partial<Store> {
  return committing(store, {
    control: async (name, input, options) => {
      const { slot: id, value } = input as { slot?: string; value?: string }
      const records = store.data.records.values()
      const filled = records.find((record) => record.id === id && (record.body as Slot).status === 'FILLED')
      if (name !== 'slot.fill' || filled === undefined) return await store.control(name, input, options)
      store.data.records.set(filled.pk, { ...filled, body: { ...filled.body, value } as object })
      return (await store.control('slot.get', { slot: filled.id })) as never
    },
  })
}

/** Bugs of slots, and of jobs that need their values. */
export const slotMutants: readonly Mutant[] = [
  {
    name: 'a job goes on when the first of its values is there',
    caughtBy: ['I24 Resolved'],
    plant: withSlots,
    patch: () => {
      const { endWaits } = ModelTransaction.prototype
      return patched(ModelTransaction.prototype, 'endWaits', function (this: ModelTransaction, pks, limit) {
        const { freed, waiting } = endWaits.call(this, pks, limit)
        return { freed: [...freed, ...waiting], waiting: [] }
      })
    },
  },
  {
    name: 'of two last values at once nobody tells the job',
    caughtBy: ['I3 Quiesce', 'I10 Agreement'],
    plant: withSlots,
    patch: () => {
      const { endWaits } = ModelTransaction.prototype
      return patched(ModelTransaction.prototype, 'endWaits', function (this: ModelTransaction, pks, limit) {
        const { freed, waiting } = endWaits.call(this, pks, limit)
        const isNeeding = (pk: number) => this.loadByKey([pk]).some(({ job }) => (job.needs?.list.length ?? 0) > 1)
        return { freed: freed.filter((pk) => !isNeeding(pk)), waiting: [...waiting, ...freed.filter(isNeeding)] }
      })
    },
  },
  {
    name: 'that a value will never come is told to nobody who waits for others, too',
    caughtBy: ['I24 Resolved'],
    plant: withSlots,
    patch: () => {
      const { endWaits } = ModelTransaction.prototype
      return patched(ModelTransaction.prototype, 'endWaits', function (this: ModelTransaction, pks, limit) {
        return { ...endWaits.call(this, pks, limit), waiting: [] }
      })
    },
  },
  {
    name: 'who fills a slot again changes its value',
    caughtBy: ['I25 Values'],
    plant: () => ({
      slots: true,
      inDatabase: (store) => overriding(store, fillingAgain(store as ModelStore)),
    }),
  },
  {
    name: 'who waits for a value that is to be its result is forgotten',
    caughtBy: ['I3 Quiesce', 'I10 Agreement'],
    plant: withSlots,
    patch: () => {
      const { addWaits } = ModelTransaction.prototype
      return patched(ModelTransaction.prototype, 'addWaits', function (this: ModelTransaction, waits) {
        const isOwn = ({ job, on_job }: (typeof waits)[number]) => job === on_job
        const isAwaiting = (pk: number) => this.loadByKey([pk]).some(({ job }) => job.phase === 'awaiting')
        addWaits.call(
          this,
          waits.filter((wait) => isOwn(wait) || !isAwaiting(wait.job)),
        )
      })
    },
  },
]
