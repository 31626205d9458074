/** The jobs of the examples. `jobs.test.ts` beside it shows how to test jobs like these without waiting for anything. */
import { writeFile } from 'node:fs/promises'
import { defineJob, definePipeline, defineShardedJob, type JobContext, TerminalError } from 'stint'

export const greet = defineJob('greet', {
  run: (ctx: JobContext<{ who: string }>) => `Hello, ${ctx.params.who}!`,
})

/** Fails as often as it is told to, then succeeds. The waits between attempts grow: 100 ms, 200 ms … at the most. */
export const flaky = defineJob('flaky', {
  retry: { maxAttempts: 5, baseMs: 100, factor: 2 },
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
  timeoutMs: 60_000,
  run: (ctx: JobContext<{ cents: number }>) => {
    ctx.log(`asked the provider for ${ctx.params.cents} cents`)
    return ctx.later({ timeoutMs: 3 * 86_400_000 })
  },
})

/** Is complete when both parcels have arrived, and has failed when the order was returned. */
export const deliver = defineJob('deliver', {
  run: (ctx: JobContext<{ order: string }>) => {
    ctx.log(`two parcels of ${ctx.params.order} are on their way`)
    return ctx.later({ events: [{ eventType: 'parcel.arrived', times: 2 }], failOn: ['order.returned'] })
  },
})

/** Leaves a file, tells how far it is, and has somebody else announce it. */
export const report = defineJob('report', {
  run: async (ctx: JobContext<{ day: string }>) => {
    await writeFile(await ctx.artifact('report.txt'), `All was well on ${ctx.params.day}.\n`)
    ctx.progress(1, 2)
    await ctx.submit(greet, { who: `reader of ${ctx.params.day}` }, { name: 'announcement' })
    ctx.progress(2, 2)
    return { file: 'report.txt' }
  },
})

/** Is found by others under a name, for as long as nobody cancels it. */
export const telephone = defineJob('telephone', {
  run: async (ctx) => {
    await ctx.endpoints.register('telephone', 'http://127.0.0.1:9')
    return ctx.later()
  },
})

/** Adds up the numbers up to one, in four tasks that all workers share, a hundred numbers in each slice. */
export const addUp = defineShardedJob('add-up', {
  plan: ({ params }: JobContext<{ upTo: number }>) => {
    const size = Math.ceil(params.upTo / 4)
    return [0, 1, 2, 3].map((i) => ({ next: i * size + 1, last: Math.min((i + 1) * size, params.upTo), sum: 0 }))
  },
  slice: ({ state, slice }) => {
    let { next, sum } = state
    while (next <= state.last && slice.hasBudget()) {
      sum += next
      next += 1
    }
    return { state: { ...state, next, sum }, done: next > state.last }
  },
  reduce: (tasks) => tasks.reduce((sum, { state }) => sum + state.sum, 0),
  sliceItems: 100,
})

export const join = defineJob('join', {
  run: (ctx: JobContext<{ lines: readonly string[] }>) => ctx.params.lines.join(' '),
})

/** Greets all guests, and puts the greetings together once somebody has opened the doors. */
export const welcome = definePipeline('welcome', (p, { guests }: { guests: readonly string[] }) => {
  const lines = guests.map((who) => p.run(greet, { who }).output)
  return p.run(join, { lines }, { after: [p.promise('doors')] }).output
})
