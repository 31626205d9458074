import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/http/index.ts'
import { createStint } from '../../src/index.ts'
import { pages } from '../../web/src/pages/pages.ts'
import { openPage, screenshot } from './browser.ts'
import { sampleOf } from './samples.ts'
import { open, opened, theFixture } from './setup.ts'

/** What a page says as long as there is nothing to show. */
const emptyWords: Readonly<Record<string, string>> = {
  '/': 'Nothing waits and nothing runs.',
  '/jobs': 'No jobs yet.',
  '/tree': 'No jobs yet.',
  '/failures': 'Nothing has failed.',
  '/events': 'Waiting for what happens next.',
  '/schedules': 'No schedules here.',
  '/templates': 'No templates here.',
  '/groups': 'No groups here.',
  '/slots': 'Nobody is waited for.',
  '/workers': 'No worker of yours is there.',
  '/limits': 'There are no limits.',
  '/webhooks': 'Nobody is told.',
  '/keys': 'There are no keys.',
}

const refusal = { type: '/errors#forbidden', title: 'no', status: 403, detail: 'Not today.', code: 'forbidden' }

/** Lets nothing of the API through: first nothing comes, then a refusal. */
async function obstruct(page: Page) {
  const { promise, resolve: refuse } = Promise.withResolvers<void>()
  await page.route(/\/v1\/(?!access|stream)/, async (route) => {
    await promise
    await route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(refusal) })
  })
  return { refuse, restore: () => page.unrouteAll({ behavior: 'ignoreErrors' }) }
}

export function statesSuite(): void {
  test('a server without anything says what each page is for, and the first job comes by itself', async () => {
    const stint = await createStint({ url: 'sqlite::memory:' })
    const server = await startServer({ stint, port: 0 })
    onTestFinished(async () => {
      await server.close()
      await stint.close()
    })
    const { page, check } = await openPage(theFixture().browser, server.url)
    onTestFinished(() => page.context().close())
    const listed = pages.filter(({ path }) => !path.includes('$'))
    expect(Object.keys(emptyWords).toSorted()).toEqual(listed.map(({ path }) => path).toSorted())
    for (const { path, label } of listed) {
      await page.goto(`${server.url}${path}`)
      await page.getByText(emptyWords[path] ?? '', { exact: true }).waitFor()
      await screenshot(page, `empty-${label.toLowerCase().replaceAll(' ', '-')}-light`)
    }
    await page.goto(`${server.url}/jobs`)
    await page.locator('[data-live="live"]').waitFor()
    await stint.submit('greet', null, { name: '/mine/first' })
    await page.getByRole('link', { name: '/mine/first' }).waitFor()
    check()
  })

  test.for(pages)('$label says that it is read, that it cannot be read, and is read again', async ({ path }) => {
    const address = `${theFixture().server.url}${await sampleOf(path.replace('$job', 'none'))}`
    const { page } = await opened('/events', { refusals: true })
    const { refuse, restore } = await obstruct(page)
    await page.goto(address)
    await page.locator('[aria-label="Loading"], td:has-text("Reading …")').first().waitFor()
    refuse()
    await page.getByRole('alert').getByText('Not today.').first().waitFor()
    await restore()
    if (path === '/jobs/$job') return
    const again = page.getByRole('button', { name: 'Try again' })
    // One that goes while it is clicked, because its part was read by itself, was not needed.
    while ((await again.count()) > 0)
      await again
        .first()
        .click({ timeout: 1_000 })
        .catch(() => {})
    await page.getByRole('alert').first().waitFor({ state: 'detached' })
  })

  test('a browser whose language nobody knows gets words where the chart would be', async () => {
    const { page, check } = await opened('/events')
    await page.addInitScript(() => Object.defineProperty(navigator, 'language', { value: 'en-US@posix' }))
    await page.goto(theFixture().server.url)
    await page.getByText(/^In the last hour \d+ jobs were submitted/).waitFor()
    await page.getByRole('heading', { name: 'Failures by cause' }).waitFor()
    check()
  })

  test('whoever has no network is told so, and it goes on by itself', async () => {
    const page = await open('/jobs')
    await page.context().setOffline(true)
    await page.locator('[data-live="offline"]').waitFor()
    await page.context().setOffline(false)
    await page.locator('[data-live="live"]').waitFor()
  })
}
