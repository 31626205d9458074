/** Jobs of a shop that does not exist: they take a while, say what they do, and some of them fail. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyJob, defineJob, definePipeline, defineShardedJob, type JobContext, TerminalError } from 'stint'

const green = (text: string) => `\u001b[32m${text}\u001b[0m`
const dim = (text: string) => `\u001b[2m${text}\u001b[0m`

/** Reads a list of products, and submits a job for each picture in it. */
export const importFeed = defineJob('import-feed', {
  run: async (ctx: JobContext<{ supplier: string; products: number }>) => {
    const { supplier, products } = ctx.params
    ctx.log(`reading the feed of ${supplier}`)
    for (let done = 0; done < products; done += 20) {
      await sleep(120, null, { signal: ctx.signal })
      ctx.progress(Math.min(done + 20, products), products)
      ctx.log(`${dim('products')} ${done + 1}–${Math.min(done + 20, products)} ${green('ok')}`)
    }
    for (const size of ['small', 'large']) await ctx.submit(resizeImages, { supplier, size }, { name: size })
    return { supplier, products }
  },
})

export const resizeImages = defineJob('resize-images', {
  retry: { maxAttempts: 3, baseMs: 1_000 },
  run: async (ctx: JobContext<{ supplier: string; size: string }>) => {
    await sleep(400, null, { signal: ctx.signal })
    if (ctx.params.supplier === 'Nordwind' && ctx.attempt < 3) {
      throw new Error(`cannot read image ${1_000 + ctx.attempt}.webp: unexpected end of data`)
    }
    return { resized: 40 }
  },
})

/** A mail server that is out of sorts: some addresses it takes, some it will never take. */
export const sendMail = defineJob('send-mail', {
  retry: { maxAttempts: 2, baseMs: 200 },
  run: async (ctx: JobContext<{ to: string }>) => {
    await sleep(60)
    if (ctx.params.to.endsWith('.invalid')) throw new TerminalError(`550 no mailbox ${ctx.params.to}`)
    if (ctx.params.to.startsWith('slow')) throw new Error('451 the server mx1.example is busy, try again in 60 s')
    ctx.log(`250 accepted for ${ctx.params.to}`)
    return 'sent'
  },
})

/** Runs until it is cancelled: something to watch, and to stop. */
export const watchStock = defineJob('watch-stock', {
  run: async (ctx: JobContext<{ warehouse: string }>) => {
    for (let look = 1; ; look++) {
      ctx.log(`${dim(`look ${look}`)} all shelves of ${ctx.params.warehouse} are ${green('in order')}`)
      ctx.progress(look % 100, 100)
      await sleep(2_000, null, { signal: ctx.signal })
    }
  },
})

/** Builds the search again, in many small tasks. Told to, some of them fail. */
export const reindex = defineShardedJob('reindex', {
  plan: ({ params }: JobContext<{ shards: number; broken?: number; rowMs?: number }>) =>
    Array.from({ length: params.shards }, () => ({ rows: 0 })),
  slice: async ({ state, index, params }) => {
    if (index % 37 === 5 && index < (params.broken ?? 0) * 37) throw new TerminalError(`segment ${index} is damaged`)
    await sleep(params.rowMs ?? 1)
    const rows = state.rows + 250
    return { state: { rows }, done: rows >= 500, progress: [rows, 500] }
  },
  reduce: (tasks) => ({ rows: tasks.reduce((sum, { state }) => sum + state.rows, 0) }),
  tolerate: 1,
  retry: { baseMs: 20 },
})

const fetchOrders = defineJob('fetch-orders', {
  run: ({ params }: JobContext<{ day: string }>) => ({ day: params.day, orders: 1_284 }),
})
const sumUp = defineJob('sum-up', { run: ({ params }: JobContext<{ orders: unknown; by: string }>) => params })
const drawCharts = defineJob('draw-charts', { run: () => ['turnover.svg', 'returns.svg'] })
const publish = defineJob('publish', { run: () => 'published' })

/** A report that somebody has to look at before it goes out. */
export const dailyReport = definePipeline('daily-report', (p, { day }: { day: string }) => {
  const orders = p.run(fetchOrders, { day })
  const regions = p.run(sumUp, { orders: orders.output, by: 'region' }, { name: 'by-region' })
  const products = p.run(sumUp, { orders: orders.output, by: 'product' }, { name: 'by-product' })
  const charts = p.run(drawCharts, { regions: regions.output, products: products.output } as never)
  const approval = p.promise<boolean>('approval', { label: 'May the report go out?' })
  return p.run(publish, { charts: charts.output } as never, { after: [approval] }).output
})

export const shopJobs: readonly AnyJob[] = [
  ...[importFeed, resizeImages, sendMail, watchStock, reindex],
  ...[dailyReport, fetchOrders, sumUp, drawCharts, publish],
]
