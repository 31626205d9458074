import { describe, it } from 'vitest'
import type { FaultKind } from './cluster-options.ts'
import { runSeed } from './seeds.ts'

/** What simulations have found once, with the faults that brought it about. */
describe('what was found once is found no more:', () => {
  it('a worker that lost the answer to a claim took a second suspect', async () => {
    const faults: readonly FaultKind[] = ['kill', 'poison', 'replyLost', 'lateApply']
    // Without the cure seeds 2, 7, 11 and 24 break I8 OneSuspect.
    for (let seed = 1; seed <= 30; seed++) await runSeed(seed, 'model', { faults })
  })
})
