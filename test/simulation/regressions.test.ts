import { describe, expect, it } from 'vitest'
import { overriding } from '../../src/engine/observed-store.ts'
import type { Store } from '../../src/store/store.ts'
import { submission } from '../support/fixture.ts'
import { drawOptions } from './cluster-options.ts'
import { Kernel } from './kernel.ts'
import { ModelStore } from './model-store.ts'
import { Network } from './network.ts'
import { Random } from './random.ts'
import type { Incarnation } from './virtual-clock.ts'
import { WorkerNode } from './worker-node.ts'
import type { Task } from './workload.ts'

const startAt = 1_800_000_000_000

/** Two jobs that were lost together with a worker. */
async function submitSuspects(store: Store): Promise<void> {
  const task: Task = { kind: 'complete', ms: 60_000, times: 0, intention: null }
  const submissions = [1, 2].map(() => submission({ type: 'a', params: JSON.stringify(task) }))
  await store.submit(submissions, { now: startAt })
  const claimed = await store.claim({ workerId: 'w0', token: 't0', types: ['a'], limit: 2, now: startAt })
  const lose = { type: 'lose', token: 't0', random: 0, alone: false } as const
  await store.apply(
    claimed.map(({ job }) => ({ job: job.id, command: lose })),
    { now: startAt },
  )
}

/** The first claim fails at once, and is done half a second later after all. */
function lateFirstClaim(store: Store, { clock }: Incarnation): Store {
  let isFirst = true
  return overriding(store, {
    claim: async (request) => {
      if (!isFirst) return await store.claim(request)
      isFirst = false
      void clock.sleep(500).then(() => store.claim(request))
      throw Object.assign(new Error('not answered'), { code: 'ETIMEDOUT' })
    },
  })
}

/** What simulations have found once, said as directly as it can be. */
describe('what was found once is found no more:', () => {
  it('a worker with a claim that takes effect late took a second suspect', async () => {
    const kernel = new Kernel(1, startAt)
    const store = new ModelStore()
    await submitSuspects(store)
    const network = new Network(kernel, store)
    const options = { ...drawOptions(new Random(1)), concurrency: 4, leaseMs: 2_000, pollMs: 100, faults: [] }
    const connect = (caller: Incarnation) => lateFirstClaim(network.connect(caller), caller)
    const outside = { awaiting: [], promises: [], die: () => {} }
    new WorkerNode({ kernel, options, outside, connect, metrics: [] }, 'worker')
    const held: number[] = []
    const onStep = () => {
      held.push(store.data.jobs.values().filter(({ job }) => job.phase === 'running' && job.suspect).length)
    }
    await kernel.run({ until: startAt + 10_000, onStep })
    expect(Math.max(...held)).toBe(1)
  })
})
