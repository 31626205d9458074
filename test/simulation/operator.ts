import type { Stint } from '../../src/engine/stint.ts'
import type { Acknowledged } from './clients.ts'
import type { Random } from './random.ts'
import type { Incarnation } from './virtual-clock.ts'
import type { World } from './worker-node.ts'
import { limitKeys } from './workload.ts'

/** Gates that are shut for ever, before branches in which nothing is. Their names only begin as those of others do. */
const decoys = { limited: '/sim/re', paused: '/sim/bl' } as const

const limitedPaths = ['/sim', '/sim/red', '/sim/redder', '/sim/blue'] as const
const pausedTargets = [
  ...[{ type: 'a' }, { type: 'b' }],
  ...[{ path: '/sim' }, { path: '/sim/red' }, { path: '/sim/redder' }, { path: '/sim/blue' }, { path: '/sim/pool-1' }],
] as const

interface Known {
  readonly acknowledged: Acknowledged
  /** Whether things may go wrong still. When it ends, the operator undoes what would keep jobs from running. */
  readonly isTroubled: () => boolean
}

/** Changes limits, pauses and moves now and then, as people do while jobs run. */
export async function operate(
  { options }: World,
  process: Incarnation,
  stint: Stint,
  random: Random,
  { acknowledged, isTroubled }: Known,
): Promise<void> {
  const { gates, callTimeoutMs, leaseMs } = options
  const acts: Record<(typeof gates)[number], () => Promise<unknown>> = {
    limits: () => changeLimit(stint, random),
    pauses: () => pauseOrResume(stint, random),
    moves: () => moveOne(stint, random, acknowledged),
  }
  await stint.limits.set(decoys.limited, { concurrency: 0 }).catch(() => {})
  await stint.pause(decoys.paused).catch(() => {})
  while (isTroubled()) {
    const act = random.pick(gates)
    if (act !== undefined) await acts[act]().catch(() => {})
    await process.clock.sleep(random.between(100, 1_500))
  }
  // What was sent may still arrive: it is undone only then.
  await process.clock.sleep(callTimeoutMs + leaseMs)
  while (!(await undo(stint).catch(() => false))) await process.clock.sleep(500)
}

async function changeLimit(stint: Stint, random: Random): Promise<void> {
  const key = random.pick([...Object.keys(limitKeys), ...limitedPaths]) ?? ''
  const what = random.float()
  if (what < 0.2) await stint.limits.remove(key)
  else if (what < 0.4) await stint.limits.set(key, { rate: `${random.between(1, 4)}/${random.between(1, 2)}s` })
  else if (what < 0.5) await stint.limits.set(key, { rate: null })
  else await stint.limits.set(key, { concurrency: random.between(0, 3) })
}

async function pauseOrResume(stint: Stint, random: Random): Promise<void> {
  const target = random.pick(pausedTargets)
  if (target === undefined) return
  if (random.chance(0.4)) await stint.pause(target)
  else await stint.resume(target)
}

async function moveOne(stint: Stint, random: Random, { submissions }: Acknowledged): Promise<void> {
  const [id, other] = [1, 2].map(() => random.pick(submissions.slice(-10))?.jobId)
  if (!id || !other) return
  const places = ['front', 'end', { before: { id: other } }, { after: { id: other } }] as const
  await stint.jobs.move({ id }, random.pick(places) ?? 'front')
}

/** Tells whether it has done all. */
async function undo(stint: Stint): Promise<boolean> {
  for (const { path, type } of (await stint.pauses.list()).items) {
    if (path !== decoys.paused) await stint.resume(path === null ? { type: type ?? '' } : { path })
  }
  for (const { key, concurrency } of (await stint.limits.list()).items) {
    if (concurrency === null || key === decoys.limited) continue
    // One at a time in a whole branch would take long; that a limit is raised while jobs wait at it is worth seeing.
    const least = key.startsWith('/') ? 3 : 1
    if (concurrency < least) await stint.limits.set(key, { concurrency: least })
  }
  return true
}
