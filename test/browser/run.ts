import { expect, test } from 'vitest'
import { connect } from '../../src/client/index.ts'
import { startServer } from '../../src/http/index.ts'
import { defineJob } from '../../src/index.ts'
import { pages } from '../../web/src/pages/pages.ts'
import { until } from '../support/stint.ts'
import { screenshot } from './browser.ts'
import { sampleOf, theWebhook } from './samples.ts'
import { open, opened, theFixture } from './setup.ts'

export function runSuite(): void {
  test('a branch is paused with a reason and goes on; a limit is set, changed and forgotten', async () => {
    const { stint } = theFixture()
    const page = await open('/limits', { refusals: true })
    await page.getByRole('button', { name: 'Pause …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Path').fill('/shop/run/quiet')
    await dialog.getByLabel('Why').fill('the moon is full')
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
    const paused = page.getByRole('row', { name: /\/run\/quiet/ })
    await paused.getByText('the moon is full').waitFor()
    const job = await stint.submit('greet', { who: 'Ada' }, { name: '/shop/run/quiet/job' })
    expect((await stint.jobs.get(job))?.status).toBe('QUEUED')
    await paused.getByRole('button', { name: 'Resume' }).click()
    expect(await job.result()).toBe('Hello, Ada!')
    await page.getByRole('button', { name: 'Set a limit …' }).click()
    await dialog.getByLabel('Key').fill('customer:42')
    await dialog.getByLabel('At once').fill('2')
    await dialog.getByLabel('Rate').fill('often')
    await dialog.getByRole('button', { name: 'Set the limit' }).click()
    await dialog.getByRole('alert').getByText('must be a number and a time').waitFor()
    await dialog.getByLabel('Rate').fill('30/min')
    await dialog.getByRole('button', { name: 'Set the limit' }).click()
    const limit = page.getByRole('row', { name: /customer:42/ })
    await limit.getByText('0 of 30 in 1 min').waitFor()
    await limit.getByRole('button', { name: 'Change …' }).click()
    expect(await dialog.getByLabel('Rate').inputValue()).toBe('30/min')
    await dialog.getByLabel('At once').fill('')
    await dialog.getByRole('button', { name: 'Set the limit' }).click()
    await limit.getByText('any number').waitFor()
    await limit.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await limit.waitFor({ state: 'detached' })
  })

  test('a webhook is added, pinged, disabled; a message that failed is sent once more', async () => {
    const { server } = theFixture()
    const client = connect({ url: server.url })
    const known = await theWebhook()
    const page = await open('/webhooks')
    await page.getByRole('button', { name: 'Add a webhook …' }).click()
    await page.getByRole('dialog').getByLabel('Address').fill(`${known.url}-too`)
    await page.getByRole('dialog').getByLabel('Below').fill('/shop/run/told')
    await page.getByRole('button', { name: 'Add the webhook' }).click()
    expect(await page.locator('[data-secret]').textContent()).toMatch(/^whsec_/)
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByRole('button', { name: 'Send a ping' }).click()
    await page
      .getByRole('row', { name: /webhook\.ping/ })
      .getByText('Delivered')
      .waitFor()
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.locator('main header').getByText('Disabled').waitFor()
    await page.goto(`${server.url}${await sampleOf('/webhooks/$webhook')}`)
    await page
      .getByRole('row', { name: /job\.run\.failed/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('the ledger is closed').first().waitFor()
    await dialog.getByText('"name": "/shop/ledger/broken"').waitFor()
    await screenshot(page, 'delivery-light')
    await dialog.getByRole('button', { name: 'Redeliver' }).click()
    await page
      .getByRole('row', { name: /job\.run\.failed/ })
      .nth(1)
      .waitFor()
    const { items } = await client.webhooks.deliveries(known.id)
    expect(items[0]?.redeliveryOf).toBe(
      items.find(({ type, redeliveryOf }) => {
        return type === 'job.run.failed' && redeliveryOf === null
      })?.id,
    )
  })

  test('a key is made, shown once, used and revoked', async () => {
    const { server } = theFixture()
    const page = await open('/keys')
    await page.getByRole('button', { name: 'New key …' }).click()
    await page.getByRole('dialog').getByLabel('Label').fill('for the test')
    await page.getByRole('dialog').getByLabel('Role').selectOption('submit')
    await page.getByRole('dialog').getByLabel('Reaches').fill('/shop/run')
    await page.getByRole('button', { name: 'Make the key' }).click()
    const key = (await page.locator('[data-secret] pre').textContent()) ?? ''
    await screenshot(page, 'new-key-light')
    const client = connect({ url: server.url, key })
    expect(await client.access()).toMatchObject({ role: 'submit', path: '/shop/run' })
    await page.getByRole('button', { name: 'I have it' }).click()
    expect(await page.content()).not.toContain(key)
    const row = page.getByRole('row', { name: /for the test/ })
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByLabel('Revoked, too').check()
    await row.getByText('Revoked').waitFor()
    await until(
      () => client.access().catch((error: { code: string }) => error.code),
      (answer) => answer === 'unauthorized',
    )
  })

  test('work that nobody listens for is named, until somebody does', async () => {
    const { stint } = theFixture()
    await stint.submit('weave', null, { name: '/shop/run/loom' })
    const page = await open('/workers')
    const row = page.getByRole('table', { name: 'Work that nobody listens for' }).getByRole('row', { name: /weave/ })
    await row.getByText('no worker knows this type').waitFor()
    const worker = stint.worker({ jobs: [defineJob('weave', { run: () => 'woven' })], name: 'loom' })
    await worker.start()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('table', { name: 'Workers that are alive' }).getByRole('row', { name: /loom/ }).waitFor()
    await worker.stop()
  })

  test('a key that may only read sees none of what it may not do, on any of these pages', async () => {
    const { stint, server: openServer } = theFixture()
    const { key } = await connect({ url: openServer.url }).keys.create({ label: 'looks only', role: 'read' })
    const server = await startServer({ stint, port: 0, requireKeys: true, webhooks: false })
    const { page } = await opened('/', { remembered: { key } })
    const names = new Set<string>()
    for (const { path } of pages.filter((each) =>
      /^\/(schedules|templates|groups|slots|workers|limits|webhooks|keys)/.test(each.path),
    )) {
      await page.goto(`${server.url}${await sampleOf(path)}`)
      await page.locator('main h1').waitFor()
      await page.locator('main[aria-busy="false"]').waitFor()
      for (const name of await page.locator('main').getByRole('button').allTextContents()) names.add(name)
    }
    expect([...names].filter((name) => !/^Copy/.test(name))).toEqual([])
    await server.close()
  })
}
