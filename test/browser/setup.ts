import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { populate } from '../../examples/demo/populate.ts'
import { shopJobs } from '../../examples/demo/shop.ts'
import {
  addUp,
  charge,
  deliver,
  flaky,
  greet,
  hopeless,
  join as joinLines,
  report,
  telephone,
  welcome,
} from '../../examples/jobs.ts'
import { buildWeb } from '../../scripts/build-web.ts'
import { commandJob, type Server, startServer } from '../../src/http/index.ts'
import { createStint, type Stint, type Worker } from '../../src/index.ts'
import { until } from '../support/stint.ts'
import { type OpenPageOptions, openPage, startBrowser, type WatchedPage } from './browser.ts'
import { writeHistory } from './history.ts'

export interface Fixture {
  readonly stint: Stint
  readonly server: Server
  readonly browser: Browser
  readonly worker: Worker
}

/** Messages go to this machine, are made at once, and given up after the second try. */
const webhooks = { allowPrivate: true, allowHttp: true, pollMs: 20, retry: { maxAttempts: 2, baseMs: 1, capMs: 1 } }

let fixture: Fixture | null = null

export function theFixture(): Fixture {
  if (fixture === null) throw new Error('The browser tests have not begun.')
  return fixture
}

/** The demo, in this process, with everything over that will be over soon. */
export async function openFixture(): Promise<void> {
  await buildWeb({ quiet: true })
  const stint = await createStint({ url: await databaseUrl() })
  const [server, browser] = await Promise.all([
    startServer({ stint, port: 0, commands: true, webhooks, keysFreshMs: 50 }),
    startBrowser(),
  ])
  const jobs = [
    greet,
    flaky,
    hopeless,
    charge,
    deliver,
    report,
    telephone,
    addUp,
    joinLines,
    welcome,
    commandJob({ apiUrl: server.url }),
  ]
  const worker = stint.worker({ jobs: [...jobs, ...shopJobs], name: 'demo', concurrency: 20 })
  await worker.start()
  fixture = { stint, server, browser, worker }
  await populate(stint)
  for (const name of ['/search/products', '/demo/sum', '/reports/daily/2026-11-16/draw-charts'])
    await until(
      () => stint.jobs.get(name),
      (job) => job?.state === 'final',
    )
}

/** In memory; for pictures a file in which an hour has passed already. */
async function databaseUrl(): Promise<string> {
  if (process.env['STINT_SCREENSHOTS'] === undefined) return 'sqlite::memory:'
  const url = `sqlite:${join(mkdtempSync(join(tmpdir(), 'stint-pictures-')), 'stint.db')}`
  await writeHistory(url)
  return url
}

export async function closeFixture(): Promise<void> {
  await fixture?.browser.close()
  // Some of the demo runs until it is told to stop.
  await fixture?.worker.stop({ graceMs: 0 })
  await fixture?.server.close()
  await fixture?.stint.close()
}

/** A page of the dashboard that is live, checked and closed at the end of the test. */
export async function open(path: string, options: OpenPageOptions = {}): Promise<Page> {
  const { page, check } = await opened(path, options)
  await page.locator('[data-live="live"]').waitFor()
  onTestFinished(check)
  return page
}

/** The same, whatever it shows. */
export async function opened(path: string, options: OpenPageOptions = {}): Promise<WatchedPage> {
  const { browser, server } = theFixture()
  const watched = await openPage(browser, `${server.url}${path}`, options)
  onTestFinished(() => watched.page.context().close())
  return watched
}
