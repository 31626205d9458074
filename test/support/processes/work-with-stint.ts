/**
 * A worker whose handlers behave well, and some that do not. It says `ready` with its id, `ran` for each attempt that
 * begins, and stops gracefully at SIGTERM.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { StintError } from '../../../src/core/errors.ts'
import { defineJob } from '../../../src/engine/define-job.ts'
import type { JobContext } from '../../../src/engine/handler.ts'
import { defineShardedJob } from '../../../src/engine/shards/define-sharded-job.ts'
import { definePipeline } from '../../../src/engine/slots/define-pipeline.ts'
import type { Slot } from '../../../src/engine/slots/slot.ts'
import { openStintOf, readStintOrders, say } from './stint-of.ts'

const orders = readStintOrders()
const { leaseMs, concurrency, graceMs, artifactsDirectory } = orders

/** Every attempt that begins is one line in the journal, in one write at its end: many processes share it. */
function note({ id, attempt }: JobContext<unknown>): void {
  appendFileSync(orders.journal, `${id} ${attempt}\n`)
  say(`ran ${id} ${attempt}`)
}

const work = defineJob('work', {
  run: async (ctx: JobContext<{ ms: number; laterMs?: number }>) => {
    note(ctx)
    const { ms, laterMs = ms } = ctx.params
    await sleep(ctx.attempt === 1 ? ms : laterMs, undefined, { signal: ctx.signal })
    return ctx.attempt
  },
})

/**
 * Its first attempt writes for as long as it may, then tells why it may not. Every other one goes on until the journal has
 * been told of that, so that the late writes of the first meet a job that runs.
 */
const writeOn = defineJob('write-on', {
  run: async (ctx: JobContext<unknown>) => {
    note(ctx)
    for (let i = 0; ctx.attempt === 1; i++) {
      try {
        await ctx.checkpoint(i)
        await sleep(10)
      } catch (error) {
        const code = error instanceof StintError ? error.code : String(error)
        appendFileSync(orders.journal, `${ctx.id} refused\n`)
        say(`refused ${code}, the signal says ${ctx.signal.reason?.reason}`)
        return 'the end of an attempt that was lost'
      }
    }
    while (!readFileSync(orders.journal, 'utf8').includes('refused')) await sleep(20)
    return ctx.attempt
  },
})

/** Takes the whole process with it. */
const poison = defineJob('poison', {
  run: async (ctx: JobContext<{ kind: 'exit' | 'kill' | 'throw' }>) => {
    note(ctx)
    const { kind } = ctx.params
    if (kind === 'exit') process.exit(0)
    if (kind === 'kill') process.kill(process.pid, 'SIGKILL')
    setTimeout(() => {
      throw new Error('Nobody catches this.')
    })
    await new Promise(() => {})
  },
})

/** Computes for so long that the program does nothing else. */
const block = defineJob('block', {
  run: (ctx: JobContext<{ ms: number }>) => {
    note(ctx)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ctx.params.ms)
    return ctx.attempt
  },
})

/** Adds up the numbers below shards × slices, one in each slice. */
const sum = defineShardedJob('sum', {
  plan: ({ params }: JobContext<{ shards: number; slices: number; ms: number }>) => {
    return Array.from({ length: params.shards }, () => ({ next: 0, sum: 0 }))
  },
  slice: async ({ params: { slices, ms }, state: { next, sum: before }, index, signal }) => {
    say(`ran slice ${next} of ${index}`)
    await sleep(ms, undefined, { signal })
    const state = { next: next + 1, sum: before + index * slices + next }
    return { state, done: state.next === slices, progress: [state.next, slices] }
  },
  reduce: (tasks) => tasks.reduce((all, { state }) => all + state.sum, 0),
  sliceRetry: { maxFailures: 1_000, baseMs: 10, capMs: 100 },
})

const plus = defineJob('plus', {
  run: async (ctx: JobContext<{ parts: readonly number[]; ms: number }>) => {
    note(ctx)
    await sleep(ctx.params.ms, undefined, { signal: ctx.signal })
    return ctx.params.parts.reduce((all, part) => all + part, 0)
  },
})

/** Adds up the numbers below a number, two by two. */
const tree = definePipeline('tree', (p, { leaves, ms }: { leaves: number; ms: number }) => {
  const options = { retry: { maxAttempts: 1_000, baseMs: 10, capMs: 100 } }
  const add = (parts: readonly (number | Slot<number>)[]) => p.run(plus, { parts, ms }, options).output
  let level = Array.from({ length: leaves }, (_, i) => add([i]))
  while (level.length > 1) {
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => add(level.slice(2 * i, 2 * i + 2)))
  }
  return level[0]
})

const whoAmI = defineJob('who-am-i', { run: () => worker.id })

const stint = await openStintOf(orders)
const worker = stint.worker({
  jobs: [work, writeOn, poison, block, sum, plus, tree, whoAmI],
  ...{ leaseMs, concurrency, artifactsDirectory },
  ...{ pollMs: 200, upkeepMs: 100, cancelGraceMs: 200 },
})
process.on('SIGTERM', () => void worker.stop({ graceMs }).then(() => stint.close()))
await worker.start()
say(`ready ${worker.id}`)
