import { overriding } from '../../src/engine/observed-store.ts'
import type { ApplyRequest, Store } from '../../src/store/store.ts'
import type { Planted } from './cluster.ts'
import { ModelShards } from './model-shards.ts'
import type { Mutant } from './mutants.ts'
import { patched } from './mutations.ts'

const withShards = (): Planted => ({ shards: true })

/** A slice whose answer comes late is written with whatever token and number the task has by then. */
function savingLate(store: Store): Partial<Store> {
  return {
    apply: async (requests, options) => {
      const found = await store.find(requests.map(({ job }) => ({ id: typeof job === 'string' ? job : job.job.id })))
      const changed = requests.map((request, i): ApplyRequest => {
        const { command } = request
        const job = found[i]?.job
        if (command.type !== 'finish' || command.ending.kind !== 'sliced' || !job?.token) return request
        const ending = { ...command.ending, seq: (job.slices?.seq ?? 0) + 1 }
        return { ...request, job: job.id, command: { ...command, token: job.token, ending } }
      })
      return await store.apply(changed, options)
    },
  }
}

/** Bugs of sharded jobs. */
export const shardMutants: readonly Mutant[] = [
  {
    name: 'a late slice is saved over a newer one',
    caughtBy: ['I4 Fenced', 'I21 Forward'],
    plant: () => ({
      shards: true,
      faults: ['pause', 'partition', 'oneWay', 'lateApply', 'replyLost'],
      inWorker: (store) => overriding(store, savingLate(store)),
    }),
  },
  {
    name: 'ends of tasks are counted twice',
    caughtBy: ['I10 Agreement', 'I23 ShardSum', 'I22 ShardWidth'],
    plant: withShards,
    patch: () => {
      const { count } = ModelShards.prototype
      return patched(ModelShards.prototype, 'count', function (this: ModelShards, job, { done, failed }) {
        return count.call(this, job, { done: 2 * done, failed })
      })
    },
  },
  {
    name: 'one task more is open than the width lets',
    caughtBy: ['I22 ShardWidth'],
    plant: withShards,
    patch: () => {
      const { open } = ModelShards.prototype
      return patched(ModelShards.prototype, 'open', function (this: ModelShards, job, count) {
        return open.call(this, job, count + 1)
      })
    },
  },
  {
    name: 'nobody is told of the last task',
    caughtBy: ['I3 Quiesce', 'I10 Agreement'],
    plant: withShards,
    patch: () => {
      const { count } = ModelShards.prototype
      return patched(ModelShards.prototype, 'count', function (this: ModelShards, job, ended) {
        const row = count.call(this, job, ended)
        return row === null ? null : { ...row, total: row.total + 1 }
      })
    },
  },
]
