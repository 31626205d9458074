/**
 * `npm run bench:dashboard [-- --jobs n --rounds n]`: what the pages of the dashboard ask of the server, timed among few jobs and among very
 * many; and the longest frame of the list of jobs in a browser, while somebody scrolls and while a thousand events a second arrive.
 */
import type { Page } from 'playwright-core'
import { buildWeb } from '../scripts/build-web.ts'
import { connect } from '../src/client/index.ts'
import { type Server, startServer } from '../src/http/index.ts'
import { createStint, defineJob, type Stint } from '../src/index.ts'
import { openPage, startBrowser } from '../test/browser/browser.ts'
import { fill } from './harness/bulk.ts'
import type { StoreKind } from './harness/contestants.ts'
import { readOptions } from './harness/options.ts'
import { Places } from './harness/places.ts'
import { percentile } from './report/statistics.ts'
import { milliseconds, rounded, table } from './report/table.ts'

const options = readOptions({ jobs: 1_000_000, rounds: 20 }, { jobs: 100_000, rounds: 5 })
const sizes = [10_000, options.jobs] as const
const watchMs = 5_000
const settleMs = 500
const eventsPerSecond = 1_000

const pages = [
  ...['/', '/jobs', '/jobs?status=queued', '/jobs?status=failed', '/jobs?status=completed', '/jobs?status=next'],
  ...[
    '/jobs?q=name:/load/g7',
    '/jobs?q=type:unusual',
    '/jobs?q=error:none',
    '/tree',
    '/tree?open=/load',
    '/failures',
    '/events',
  ],
  ...['', '?tab=graph', '?tab=shards', '?tab=events', '?tab=logs', '?tab=data', '?tab=lineage'].map(
    (tab) => `/jobs/$job${tab}`,
  ),
  ...[
    '/schedules',
    '/schedules/$schedule',
    '/templates',
    '/templates/$template',
    '/groups',
    '/groups/$group',
    '/slots',
  ],
  ...['/slots/$slot', '/workers', '/limits', '/webhooks', '/webhooks/$webhook', '/keys'],
]

interface Site {
  readonly stint: Stint
  readonly server: Server
  /** What ids of this site are called in an address that both sites can be asked for. */
  readonly placeholders: readonly (readonly [id: string, sign: string])[]
}

await buildWeb()
const places = await Places.start()
const browser = await startBrowser()
try {
  for (const store of ['sqlite', 'postgres'] as const) {
    const [few, many] = [await site(store, sizes[0]), await site(store, sizes[1])]
    const rows: (readonly string[])[] = []
    for (const page of pages) if (page.includes(options.only)) rows.push(await compared(page, few, many))
    const head = ['page', 'requests', ...sizes.map((size) => `${rounded(size)}: ms`), 'ratio']
    process.stdout.write(`\n${store}\n\n${table(head, rows)}\n`)
    await frames(many)
    for (const { server, stint } of [few, many]) {
      await server.close()
      await stint.close()
    }
  }
} finally {
  await browser.close()
  await places.stop()
}

async function site(store: StoreKind, count: number): Promise<Site> {
  process.stderr.write(`${store}: ${rounded(count)} jobs\n`)
  const place = await places.fresh(store)
  await (await createStint({ url: place.url })).close()
  await fill(store, place.url, count)
  await place.analyze()
  const stint = await createStint({ url: place.url })
  const server = await startServer({ stint, port: 0, webhooks: { allowHttp: true, allowPrivate: true } })
  return { stint, server, placeholders: [...(await jobForms(stint)), ...(await records(stint, server.url))] }
}

/** The newest job, in all forms that its id and name have in addresses. */
async function jobForms(stint: Stint): Promise<Site['placeholders']> {
  const [job] = (await stint.jobs.list({ limit: 1 })).items
  const [id, name] = [job?.id ?? '', job?.name ?? '']
  const uuid = id.slice(id.lastIndexOf(':') + 1)
  return [
    [encodeURIComponent(id), '$whole-job'],
    [id, '$job-id'],
    [uuid, '$job'],
    [encodeURIComponent(name), '$name'],
  ]
}

/** One of each kind that has a page of its own. None of them does anything by itself. */
async function records(stint: Stint, url: string): Promise<Site['placeholders']> {
  const template = await stint.templates.create({ path: '/load/template', job: 'noop' })
  const schedule = await stint.schedules.create({
    path: '/load/schedule',
    job: 'noop',
    cron: '0 4 * * *',
    enabled: false,
  })
  const group = await stint.groups.create({ path: '/load/group', mode: 'parallel' })
  const slot = await stint.slots.create('/load/slot')
  const client = connect({ url })
  const webhook = await client.webhooks.create({ url: 'http://127.0.0.1:9/', path: '/nowhere' })
  await client.webhooks.update(webhook.id, { status: 'DISABLED' })
  return [
    [template.id, '$template'],
    [schedule.id, '$schedule'],
    [group.id, '$group'],
    [slot.uuid, '$slot'],
    [webhook.id, '$webhook'],
  ]
}

/** The time of all requests of a page, medians of each; in turns, so that both have the same machine. */
async function compared(page: string, few: Site, many: Site): Promise<readonly string[]> {
  const asked = [...new Set([...(await requestsOf(page, few)), ...(await requestsOf(page, many))])]
  let [small, large] = [0, 0]
  for (const path of asked) {
    small += await medianOf(addressIn(few, path))
    large += await medianOf(addressIn(many, path))
  }
  return [page, String(asked.length), milliseconds(small), milliseconds(large), `${(large / small).toFixed(1)} ×`]
}

function addressIn({ placeholders, server }: Site, path: string): string {
  return placeholders.reduce((so, [id, sign]) => so.replaceAll(sign, id), `${server.url}${path}`)
}

async function medianOf(url: string): Promise<number> {
  const times: number[] = []
  for (let i = -2; i < options.rounds; i++) {
    const from = performance.now()
    await (await fetch(url)).arrayBuffer()
    if (i >= 0) times.push(performance.now() - from)
  }
  return percentile(times, 50) ?? 0
}

/** What a page reads when it is opened, without the stream. */
async function requestsOf(path: string, site: Site): Promise<readonly string[]> {
  const { page } = await openPage(browser, 'about:blank')
  const asked = new Set<string>()
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    const isRead = pathname.startsWith('/v1/') && pathname !== '/v1/stream'
    if (!isRead) return
    asked.add(site.placeholders.reduce((so, [id, sign]) => so.replaceAll(id, sign), `${pathname}${search}`))
  })
  await page.goto(addressIn(site, path))
  await page.locator('main h1').waitFor()
  // Parts of a page are loaded when it is there, and ask for more.
  await page.waitForTimeout(settleMs)
  await page.locator('main[aria-busy="false"]').waitFor()
  await page.context().close()
  return [...asked]
}

async function frames({ stint, server }: Site): Promise<void> {
  const { page } = await openPage(browser, `${server.url}/jobs`)
  await page.locator('tbody tr[data-index]').first().waitFor()
  const scrolling = await longestFrame(page, async () => {
    await page.locator('tbody').hover()
    for (const until = Date.now() + watchMs; Date.now() < until; ) await page.mouse.wheel(0, 400)
  })
  const job = defineJob('bench', { run: () => null })
  const worker = stint.worker({ jobs: [job], concurrency: 50 })
  await worker.start()
  const arriving = await longestFrame(page, async () => {
    // Each job has three events: created, started, completed.
    const items = Array.from({ length: Math.round(eventsPerSecond / 3 / 10) }, () => ({ job }))
    for (const until = Date.now() + watchMs; Date.now() < until; ) {
      const next = new Promise((resolve) => setTimeout(resolve, 100))
      await stint.submitMany(items)
      await next
    }
  })
  await worker.stop()
  await page.context().close()
  process.stdout.write(
    `longest frame while scrolling ${milliseconds(scrolling)} ms, while ${eventsPerSecond} events a second arrive ${milliseconds(arriving)} ms\n`,
  )
}

async function longestFrame(page: Page, during: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const seen = { longest: 0, last: performance.now(), isOver: false }
    Object.assign(globalThis, { seen })
    const look = (now: number) => {
      seen.longest = Math.max(seen.longest, now - seen.last)
      seen.last = now
      if (!seen.isOver) requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })
  await during()
  return await page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: { longest: number; isOver: boolean } }
    seen.isOver = true
    return seen.longest
  })
}
