import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../src/http/index.ts'
import { openPage } from './browser.ts'
import { open, theFixture } from './setup.ts'

/** A server that asks for keys, on the same data, and somebody who has one. */
async function setup(role: string, path?: string) {
  const { stint, browser, server: openServer } = theFixture()
  const made = await fetch(`${openServer.url}/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ label: `a ${role} key`, role, ...(path === undefined ? {} : { path }) }),
  })
  const { key } = (await made.json()) as { key: string }
  const server = await startServer({ stint, port: 0, requireKeys: true })
  onTestFinished(() => server.close())
  const { page } = await openPage(browser, `${server.url}/jobs?q=name:/demo`)
  onTestFinished(() => page.context().close())
  return { page, key, server }
}

export function accessSuite(): void {
  test('whoever has a key that may only read signs in, and sees no action', async () => {
    const { page, key } = await setup('read')
    await page.getByLabel('Key', { exact: true }).fill('stint_nonsense')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The key is not known').waitFor()
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: '/demo/later' }).waitFor()
    await page.locator('[data-live="live"]').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Submit a job' }).count()).toBe(0)
    await page.getByRole('link', { name: '/demo/later' }).click()
    await page.locator('main header').getByText('Queued').waitFor()
    const buttons = await page.locator('main header').getByRole('button').allTextContents()
    expect(buttons).toEqual(['Copy the name'])
    await page.goto(page.url().replace(/\/jobs.*$/, '/tree'))
    await page.getByRole('row', { name: /greetings/ }).waitFor()
    expect(await page.getByRole('button', { name: /Pause|Cancel|Run/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in with a key' }).waitFor()
    // The key was for this window only.
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.getItem('stint.key')])).toContain(null)
  })

  test('a key of a branch sees that branch', async () => {
    const { page, key } = await setup('submit', '/shop')
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.goto(page.url().replace(/\?.*$/, '?q=leipzig'))
    await page.getByRole('link', { name: '/shop/stock/leipzig' }).waitFor()
    expect(await page.getByText('/demo/').count()).toBe(0)
  })

  test('a server that goes away is waited for, and the page goes on by itself', async () => {
    const { stint, browser } = theFixture()
    const first = await startServer({ stint, port: 0 })
    const { page } = await openPage(browser, `${first.url}/jobs?q=name:/demo`)
    onTestFinished(() => page.context().close())
    await page.locator('[data-live="live"]').waitFor()
    await first.close()
    await page.locator('[data-live="polling"]').waitFor()
    const second = await startServer({ stint, port: first.port })
    onTestFinished(() => second.close())
    await page.locator('[data-live="live"]').waitFor()
  })

  test('it works below any base path', async () => {
    const { stint, browser } = theFixture()
    const server = await startServer({ stint, port: 0, basePath: '/tools/stint' })
    onTestFinished(() => server.close())
    const job = await stint.jobs.get('/demo/greetings/ada')
    const { page, check } = await openPage(browser, `${server.url}/tools/stint/jobs/${job?.id}?tab=data`)
    onTestFinished(() => page.context().close())
    await page.getByText('"Hello, Ada!"').waitFor()
    await page.locator('[data-live="live"]').waitFor()
    await page.getByRole('link', { name: 'Tree' }).click()
    await page.getByRole('row', { name: /greetings/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/tools/stint/tree')
    check()
  })

  test('a page that nobody looks at hears nothing, and goes on when it is looked at', async () => {
    const page = await open('/jobs')
    const hide = (isHidden: boolean) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, isHidden)
    await hide(true)
    await page.locator('[data-live="paused"]').waitFor()
    await hide(false)
    await page.locator('[data-live="live"]').waitFor()
  })
}
