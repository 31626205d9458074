import { StintError } from '../../src/core/errors.ts'
import type { NewGroup } from '../../src/store/controls.ts'
import type { Store, Submission, SubmitResult } from '../../src/store/store.ts'
import type { Acknowledged } from './clients.ts'
import type { Random } from './random.ts'
import type { Incarnation } from './virtual-clock.ts'
import type { World } from './worker-node.ts'
import { drawSubmission } from './workload.ts'

/** Members are numbered apart from what submitters send. */
const firstIntention = 10_000
const membersMax = 6

interface Known {
  readonly acknowledged: Acknowledged
  readonly isTroubled: () => boolean
}

/** Makes its share of groups, each step until somebody has acknowledged it, and disturbs them while they run. */
export async function makeGroups(
  { options }: World,
  process: Incarnation,
  store: Store,
  random: Random,
  known: Known,
): Promise<void> {
  const { acknowledged } = known
  const insist = insisting(process, random)
  const pause = () => process.clock.sleep(random.between(0, options.faultsForMs / (2 * options.groups)))
  for (let n = 0; n < options.groups; n++) {
    await pause()
    const group = drawGroup(random, process.clock.now(), n)
    await insist(() => store.control('group.create', group))
    const ids: string[] = []
    for (let batch = random.between(1, 2); batch > 0; batch--) {
      const first = firstIntention + n * membersMax + ids.length
      const members = drawMembers(random, process.clock.now(), first, group, options)
      ids.push(...members.map(({ id }) => id))
      const results = await insist(() => store.submit(members))
      acknowledged.submissions.push(...results.map((result, i) => noted(first + i, result)))
    }
    if (random.chance(0.3)) await reorder(store, random, group, ids)
    await insist(() => store.control('group.seal', { group: group.id }))
    await pause()
    if (known.isTroubled() && random.chance(0.3)) await reorder(store, random, group, ids)
    if (known.isTroubled() && random.chance(0.2)) {
      await store.control('group.cancel', { group: group.id, reason: 'test' }).catch(() => {})
    }
  }
  acknowledged.submitting -= 1
}

/** Sends the same again until it is answered. What was refused because it is there already was done before. */
function insisting(process: Incarnation, random: Random) {
  return async <T>(call: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (error instanceof StintError && error.code === 'path_taken') return undefined as T
        await process.clock.sleep(random.between(50, 500))
      }
    }
  }
}

function drawGroup(random: Random, now: number, n: number): NewGroup {
  const isSequential = random.chance(0.6)
  const finish = { id: random.uuid(now), name: `/sim/finished-${n}`, type: 'a', params: JSON.stringify(quick) }
  return {
    id: random.uuid(now),
    path: `/sim/group-${n}`,
    ...(isSequential
      ? { mode: 'sequential', onFailure: random.pick(['stop', 'continue'] as const) }
      : { mode: 'parallel', width: random.pick([null, 1, 2] as const) }),
    ...(random.chance(0.5) ? { finish } : {}),
  }
}

const quick = { kind: 'complete', ms: 10, times: 0, intention: null } as const

function drawMembers(
  random: Random,
  now: number,
  first: number,
  group: NewGroup,
  options: World['options'],
): readonly Submission[] {
  const count = random.between(0, membersMax / 2)
  return Array.from({ length: count }, (_, i) => {
    const drawn = drawSubmission(random, now, first + i, options)
    // A name of its own: members that are in each other's way are a matter of the contract.
    return { ...drawn, name: `/sim/member-${first + i}`, key: null, onConflict: 'error', group: group.id }
  })
}

async function reorder(store: Store, random: Random, { id }: NewGroup, ids: readonly string[]): Promise<void> {
  const jobIds = ids.map((jobId) => ({ jobId, key: random.u32() })).sort((a, b) => a.key - b.key)
  await store.control('group.reorder', { group: id, jobIds: jobIds.map(({ jobId }) => jobId) }).catch(() => {})
}

function noted(intention: number, result: SubmitResult) {
  return { intention, jobId: result.outcome === 'refused' ? null : result.stored.job.id }
}
