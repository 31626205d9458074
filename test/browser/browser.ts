import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, type BrowserContextOptions, type Page, chromium as playwright } from 'playwright-core'

/** A Chromium out of a package, or one of the system. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env['STINT_TEST_CHROMIUM'] ?? (await chromium.executablePath())
  return await playwright.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--disable-dev-shm-usage'],
  })
}

/** A page in which nothing may go wrong. */
export interface WatchedPage {
  readonly page: Page
  /** Fails when the console had an error, something was thrown, or the policy of the page was broken. */
  check(): void
}

export interface OpenPageOptions extends BrowserContextOptions {
  /** What the browser remembers from before, beside its defaults. */
  readonly remembered?: Readonly<Record<string, string>>
  /** Whether the server may refuse something: the console of a browser calls that an error. */
  readonly refusals?: boolean
}

/** Opens an address in a browser of its own: nothing is remembered from others. */
export async function openPage(browser: Browser, url: string, options: OpenPageOptions = {}): Promise<WatchedPage> {
  const { remembered = {}, refusals = false, ...rest } = options
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    ...rest,
  })
  // When nobody believes any more that it comes: machines are busy at times.
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('console', (message) => {
    const isRefusal = message.text().includes('responded with a status of 4')
    const isWrong = message.type() === 'error' || message.type() === 'warning'
    if (isWrong && !(refusals && isRefusal)) wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(String(error)))
  page.on('dialog', (dialog) => {
    wrong.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.addInitScript((entries) => {
    for (const [name, value] of entries) localStorage.setItem(`stint.${name}`, value)
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`policy: ${violatedDirective} ${blockedURI}`)
    })
  }, Object.entries(remembered))
  await page.goto(url)
  const check = () => {
    if (wrong.length > 0) throw new Error(`On the page something went wrong:\n${wrong.join('\n')}`)
  }
  return { page, check }
}

/** Pictures for people, where they are asked for: `STINT_SCREENSHOTS=folder`. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['STINT_SCREENSHOTS']
  if (folder === undefined) return
  // Fonts and rows have come, and nothing moves any more.
  await page.evaluate(() => document.fonts.ready)
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
