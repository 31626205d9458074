/** The jobs of `stint dev --demo`: one of every kind. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJob } from '../../engine/define-job.ts'
import type { AnyJob, JobContext } from '../../engine/handler.ts'
import { TerminalError } from '../../engine/later.ts'
import { defineShardedJob } from '../../engine/shards/define-sharded-job.ts'
import { definePipeline } from '../../engine/slots/define-pipeline.ts'

export const greet = defineJob('greet', {
  run: (ctx: JobContext<{ who?: string } | null>) => `Hello, ${ctx.params?.who ?? 'world'}!`,
})

/** Takes its time, and tells how far it is. */
export const render = defineJob('render', {
  run: async (ctx: JobContext<{ pages: number }>) => {
    const { pages } = ctx.params
    for (let page = 1; page <= pages; page++) {
      await sleep(250, undefined, { signal: ctx.signal })
      ctx.log(`page ${page} of ${pages}`)
      ctx.progress(page, pages)
    }
    return { pages }
  },
})

/** Fails as often as it is told to, then succeeds. */
export const flaky = defineJob('flaky', {
  retry: { maxAttempts: 5, baseMs: 1_000, factor: 2 },
  run: (ctx: JobContext<{ failTimes: number }>) => {
    if (ctx.attempt <= ctx.params.failTimes) throw new Error(`attempt ${ctx.attempt} fails on purpose`)
    return `attempt ${ctx.attempt} succeeded`
  },
})

/** Some failures will not go away by trying again. */
export const hopeless = defineJob('hopeless', {
  run: () => {
    throw new TerminalError('there is no such customer')
  },
})

/** Charges a card at a provider that answers days later. No worker is held while it waits. */
export const charge = defineJob('charge', {
  run: (ctx: JobContext<{ cents: number }>) => {
    ctx.log(`asked the provider for ${ctx.params.cents} cents`)
    return ctx.later({ timeoutMs: 3 * 86_400_000 })
  },
})

/** Is complete when both parcels have arrived. */
export const deliver = defineJob('deliver', {
  run: (ctx: JobContext<{ order: string }>) => {
    ctx.log(`two parcels of ${ctx.params.order} are on their way`)
    return ctx.later({ events: [{ eventType: 'parcel.arrived', times: 2 }], failOn: ['order.returned'] })
  },
})

/** Counts words in many files at once, a few in each slice. */
export const index = defineShardedJob('index', {
  plan: ({ params }: JobContext<{ files: number }>) => {
    return Array.from({ length: params.files }, (_, i) => ({ words: 20 + ((i * 37) % 60), counted: 0 }))
  },
  slice: async ({ state, slice }) => {
    let { counted } = state
    while (counted < state.words && slice.hasBudget()) {
      await sleep(40)
      counted += 1
    }
    return { state: { ...state, counted }, done: counted >= state.words, progress: [counted, state.words] }
  },
  reduce: (tasks) => tasks.reduce((sum, { state }) => sum + state.counted, 0),
  sliceItems: 8,
  width: 8,
})

const join = defineJob('join', {
  run: (ctx: JobContext<{ lines: readonly string[] }>) => ctx.params.lines.join(' '),
})

/** Greets all guests, and puts the greetings together once somebody has opened the doors. */
export const welcome = definePipeline('welcome', (p, { guests }: { guests: readonly string[] }) => {
  const lines = guests.map((who) => p.run(greet, { who }).output)
  return p.run(join, { lines }, { after: [p.promise('doors')] }).output
})

export const demoJobs: readonly AnyJob[] = [
  greet,
  render,
  flaky,
  hopeless,
  charge,
  deliver,
  index,
  join,
  welcome,
] as AnyJob[]
