import type { LimitInput } from '../../src/core/gates/limit.ts'
import { defineJob } from '../../src/engine/define-job.ts'
import type { AnyJob, JobContext } from '../../src/engine/handler.ts'
import { TerminalError } from '../../src/engine/later.ts'
import { defineShardedJob } from '../../src/engine/shards/define-sharded-job.ts'
import type { WorkerOptions } from '../../src/engine/worker/worker-settings.ts'
import type { Submission } from '../../src/store/store.ts'
import type { ClusterOptions } from './cluster-options.ts'
import type { Random } from './random.ts'
import type { Incarnation } from './virtual-clock.ts'

/** What a handler of the simulation is to do. It stands in the params, so every attempt does the same. */
export interface Task {
  readonly kind: keyof typeof acts
  readonly ms: number
  /** How often it goes wrong, or how many children it has. */
  readonly times: number
  /** The number of the submission that asked for it; null for a job that another one made. */
  readonly intention: number | null
}

/** What handlers share with the world outside of their process. */
export interface Outside {
  /** Jobs that have told somebody outside that they wait. */
  readonly awaiting: string[]
  /** Slots that jobs may need, and jobs that were submitted, by id. */
  readonly promises: string[]
  /** Kills the process that runs the handler. */
  die(process: Incarnation): void
}

interface Scene {
  readonly ctx: JobContext<Task>
  readonly task: Task
  readonly process: Incarnation
  readonly outside: Outside
}

/** Works for a time and stops when it is told to, as a good handler does. */
async function work({ ctx, process, task }: Scene): Promise<void> {
  await process.clock.sleep(task.ms, ctx.signal)
  ctx.signal.throwIfAborted()
}

function uuidOf(runId: string): string {
  return /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(runId)?.[0] ?? ''
}

const acts = {
  complete: async (scene: Scene) => {
    await work(scene)
    return { intention: scene.task.intention }
  },
  failFirst: async (scene: Scene) => {
    await work(scene)
    if (scene.ctx.attempt <= scene.task.times) throw new Error(`failed attempt ${scene.ctx.attempt}`)
  },
  failAlways: async (scene: Scene) => {
    await work(scene)
    throw new Error('always fails')
  },
  terminal: async (scene: Scene) => {
    await work(scene)
    throw new TerminalError('of no use')
  },
  snooze: async (scene: Scene) => {
    await work(scene)
    return scene.ctx.attempt <= scene.task.times ? scene.ctx.retryIn(scene.task.ms) : null
  },
  answered: async (scene: Scene) => {
    await work(scene)
    scene.outside.awaiting.push(`answer ${uuidOf(scene.ctx.id)}`)
    return scene.ctx.later()
  },
  awaitsEvent: async (scene: Scene) => {
    await work(scene)
    scene.outside.awaiting.push(`event ${uuidOf(scene.ctx.id)}`)
    return scene.ctx.later({ events: [{ eventType: 'paid' }], failOn: ['refused'] })
  },
  forgotten: async (scene: Scene) => {
    await work(scene)
    return scene.ctx.later({ timeoutMs: 500 + scene.task.ms })
  },
  parent: async (scene: Scene) => {
    const { ctx, task } = scene
    await submitChildren(scene, 0, 1)
    await work(scene)
    await submitChildren(scene, 1, task.times)
    await work(scene)
    if (ctx.attempt <= task.times - 1) throw new Error('fails with children')
  },
  /** Snoozes with children, which stay, and then fails, which takes them along. */
  snoozingParent: async (scene: Scene) => {
    const { ctx, task } = scene
    if (ctx.attempt === 1) await submitChildren(scene, 0, 1)
    await work(scene)
    if (ctx.attempt === 1) return ctx.retryIn(100)
    if (ctx.attempt <= task.times) throw new Error('fails with the children of a snoozed attempt')
    return null
  },
  reports: async (scene: Scene) => {
    for (let i = 0; i < 4; i++) {
      await work(scene)
      scene.ctx.log(`step ${i}`)
      scene.ctx.progress(i, 4)
      await scene.ctx.checkpoint(i)
    }
  },
  returnsChild: async (scene: Scene) => {
    const { ctx, task } = scene
    const part: Task = { kind: task.times > 2 ? 'terminal' : 'complete', ms: task.ms, times: 0, intention: null }
    const first = await ctx.submit('b', part, { name: 'first', retry: { baseMs: 100 } })
    const last: Task = { kind: 'complete', ms: task.ms, times: 0, intention: null }
    const child = await ctx.submit('a', last, { name: 'last', after: [first], retry: { baseMs: 100 } })
    await work(scene)
    return child.output
  },
  returnsSlot: async (scene: Scene) => {
    const slot = await scene.ctx.slot('question')
    scene.outside.awaiting.push(`slot ${slot.uuid}`)
    await work(scene)
    return slot
  },
  /** Sleeps through everything that it is told. */
  stubborn: async ({ process, task }: Scene) => {
    await process.clock.sleep(task.ms * 4)
  },
  poison: async ({ outside, process }: Scene) => {
    outside.die(process)
    await new Promise(() => {})
  },
}

/** Submits the children from one number to before another. Their names are the same in every attempt. */
async function submitChildren({ ctx, task }: Scene, from: number, to: number): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i)
  await Promise.all(
    numbers.map((number) => {
      const kind = number === 2 ? 'stubborn' : 'complete'
      const child: Task = { kind, ms: task.ms * 2, times: 0, intention: null }
      return ctx.submit('b', child, { name: `child-${number}`, retry: { baseMs: 100 } })
    }),
  )
}

/** The types that every worker of the cluster knows. Several, so that there are several lanes. */
export function definitions(process: Incarnation, outside: Outside): readonly AnyJob[] {
  const plain = ['a', 'b'].map((type) => {
    const run = (ctx: JobContext<Task>) => acts[ctx.params.kind]({ ctx, task: ctx.params, process, outside })
    return defineJob<Task, unknown>(type, { run }) as AnyJob
  })
  return [...plain, sumOf(process) as AnyJob]
}

/** What a sharded job of the simulation is to do: add up the numbers below shards × slices. */
export interface ShardedTask {
  readonly shards: number
  readonly slices: number
  readonly ms: number
  /** Every so many slices one fails in its first two tries; 0 for never. */
  readonly failEvery: number
  /** Tasks that always fail, from 0 on. */
  readonly broken: number
  readonly intention: number
}

/** How many tasks of a sharded job are open at once. */
export const shardWidth = 3
/** How many of them may fail. */
export const shardTolerance = 1

function sumOf(process: Incarnation) {
  return defineShardedJob('c', {
    plan: ({ params }: JobContext<ShardedTask>) => {
      return Array.from({ length: params.shards }, () => ({ next: 0, sum: 0 }))
    },
    slice: async ({ params, state, index, ctx }) => {
      await process.clock.sleep(params.ms, ctx.signal)
      ctx.signal.throwIfAborted()
      const number = index * params.slices + state.next
      if (index < params.broken) throw new TerminalError('broken')
      if (params.failEvery > 0 && number % params.failEvery === 1 && ctx.attempt === 1) throw new Error('fails')
      const next = { next: state.next + 1, sum: state.sum + number }
      return { state: next, done: next.next === params.slices, progress: [next.next, params.slices] }
    },
    reduce: (tasks) => tasks.reduce((sum, { state }) => sum + state.sum, 0),
    width: shardWidth,
    tolerate: shardTolerance,
    sliceRetry: { maxFailures: 2, baseMs: 100, capMs: 500 },
  })
}

/** The result that such a job must have if these of its tasks are done: all their numbers. */
export function sumOfTasks({ slices }: ShardedTask, done: readonly number[]): number {
  return done.reduce((sum, index) => sum + index * slices * slices + (slices * (slices - 1)) / 2, 0)
}

function drawSharded(random: Random, intention: number): ShardedTask {
  return {
    shards: random.between(0, 7),
    slices: random.between(1, 4),
    ms: random.between(0, 500),
    failEvery: random.pick([0, 0, 3, 7] as const),
    broken: random.pick([0, 0, 1, 2] as const),
    intention,
  }
}

/** Jobs that give the value of another as their own. */
const returningKinds = ['returnsChild', 'returnsSlot'] as const satisfies readonly Task['kind'][]

/** Needs of what was submitted before, and of promises; its inputs are those of its params. */
function needingOrNot(random: Random, task: Task, known: readonly string[]): Partial<Submission> {
  const isReturning = random.chance(0.25)
  const kind = isReturning ? random.pick(returningKinds) : task.kind
  const drawn = random.chance(0.6) ? Array.from({ length: random.between(1, 3) }, () => random.pick(known)) : []
  const list = drawn.flatMap((of, i) =>
    of === undefined ? [] : [{ of, at: random.chance(0.8) ? `/inputs/${i}` : null }],
  )
  const params = JSON.stringify({ ...task, kind, inputs: list.map(() => null) })
  return { params, needs: { list, onFailure: random.pick(['skip', 'skip', 'run'] as const) } }
}

const kinds: readonly Task['kind'][] = [
  ...(['complete', 'complete', 'failFirst', 'failAlways', 'terminal', 'snooze', 'answered', 'awaitsEvent'] as const),
  ...(['forgotten', 'parent', 'parent', 'snoozingParent', 'reports', 'stubborn'] as const),
]

/** One submission, drawn. `intention` numbers it: however often it is sent, one job may come of it. */
export function drawSubmission(
  random: Random,
  now: number,
  intention: number,
  options: ClusterOptions,
  known: readonly string[] = [],
): Submission {
  const { leaseMs, faults } = options
  const isPoison = faults.includes('poison') && random.chance(0.12)
  const kind = isPoison ? 'poison' : (random.pick(kinds) ?? 'complete')
  const ms = random.chance(0.12) ? random.between(leaseMs, 2 * leaseMs) : random.between(0, 800)
  const isNamed = random.chance(0.3)
  const task: Task = { kind, ms, times: random.between(1, 3), intention }
  const type = random.pick(['a', 'b'] as const)
  return {
    id: random.uuid(now),
    name: isNamed ? `/sim/pool-${random.between(1, 3)}` : `${teamOf(intention, options)}/job-${intention}`,
    type,
    key: random.chance(0.1) ? `key-${random.between(1, 2)}` : null,
    params: JSON.stringify(task),
    priority: random.between(0, 2),
    onConflict: random.pick(['error', 'keep', 'skip', 'replace', 'replace'] as const),
    retry: { maxAttempts: random.between(1, 3), baseMs: 200, capMs: 2_000, maxSnoozes: 2 },
    ...(random.chance(0.2) ? { scheduledFor: now + random.between(0, 3_000) } : {}),
    ...(random.chance(0.15) ? { timeoutMs: random.between(100, 1_500) } : {}),
    ...(random.chance(0.1) ? { deadlineAt: now + random.between(500, 8_000) } : {}),
    ...(random.chance(0.1) ? { expiresAt: now + random.between(200, 4_000) } : {}),
    ...(random.chance(0.2) ? { onFailure: onFailure(random, now, intention) } : {}),
    ...(options.gates.includes('limits') ? { limits: drawLimits(random.fork(`limits ${intention}`)) } : {}),
    ...(options.shards ? shardedOrNot(random.fork(`shards ${intention}`), intention) : {}),
    ...(options.slots ? needingOrNot(random.fork(`slots ${intention}`), task, known) : {}),
  }
}

function shardedOrNot(random: Random, intention: number): Partial<Submission> {
  return random.chance(0.4) ? { type: 'c', params: JSON.stringify(drawSharded(random, intention)) } : {}
}

/** Branches to be paused and limited. The name of one begins with that of another, and yet it is not within it. */
const teams = ['/sim/red', '/sim/redder', '/sim/blue'] as const

/** The same in several namespaces, for workers that are bound to some or take turns between them. */
const tenants = [...teams, '/simon', '/tom/red'] as const

function teamOf(intention: number, { gates, shares }: ClusterOptions): string {
  if (shares.length > 0) return tenants[intention % tenants.length] ?? '/sim'
  return gates.length === 0 ? '/sim' : (teams[intention % teams.length] ?? '/sim')
}

/** Which jobs a worker takes, and how. */
export type Share = Pick<WorkerOptions, 'paths' | 'fairness'>

const bindings = [['/sim'], ['/simon', '/sim/red'], ['/tom', '/sim/blue'], ['/sim/redder', '/simon/job-3']] as const

export function drawShare({ shares }: ClusterOptions, random: Random, mayBeBound: boolean): Share {
  const isBound = shares.includes('bound') && mayBeBound && random.chance(0.7)
  const isFair = shares.includes('fair') && random.chance(0.7)
  return {
    ...(isBound ? { paths: random.pick<readonly string[]>(bindings) } : {}),
    ...(isFair ? { fairness: 'namespace' } : {}),
  }
}

/** The limits that jobs name, and what they say of them. It is always the same: in a batch the order then does not matter. */
export const limitKeys = {
  one: { concurrency: 1 },
  two: { concurrency: 2 },
  often: { rate: { count: 2, perMs: 2_000 } },
} as const

function drawLimits(random: Random): readonly LimitInput[] {
  const keys = Object.keys(limitKeys).filter(() => random.chance(0.2)) as (keyof typeof limitKeys)[]
  return keys.map((key) => ({ key, ...(random.chance(0.3) ? {} : limitKeys[key]) }))
}

function onFailure(random: Random, now: number, intention: number): NonNullable<Submission['onFailure']> {
  const task: Task = { kind: 'complete', ms: 10, times: 0, intention: null }
  return { id: random.uuid(now), name: `/sim/failed-${intention}`, type: 'a', params: JSON.stringify(task) }
}
