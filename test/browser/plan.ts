import { expect, test } from 'vitest'
import { until } from '../support/stint.ts'
import { screenshot } from './browser.ts'
import { sampleOf } from './samples.ts'
import { open, theFixture } from './setup.ts'

export function planSuite(): void {
  test('a schedule is triggered, disabled and enabled, and its page follows', async () => {
    const { stint } = theFixture()
    const yearly = { job: 'greet', params: { who: 'the year' }, cron: '0 0 1 1 *' }
    const { id } = await stint.schedules.create({ path: '/shop/plan/yearly', ...yearly })
    const page = await open('/schedules?path=/shop/plan')
    await page.getByRole('link', { name: '/shop/plan/yearly' }).click()
    await page.getByRole('button', { name: 'Trigger now' }).click()
    const jobs = page.getByRole('table', { name: 'Its newest jobs' })
    await jobs.getByText('Completed').waitFor()
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.locator('main header').getByText('Disabled').waitFor()
    await stint.schedules.enable(id)
    await page.locator('main header').getByText('Enabled').waitFor()
  })

  test('a schedule says what a change of clocks does to it, and its calendar which days it leaves out', async () => {
    const page = await open(await sampleOf('/schedules/$schedule'))
    const change = page.getByText('02:30 does not come: it fires at 03:00 instead')
    expect(await change.textContent()).toContain('Clocks go forward, 02:00 → 03:00')
    await page.getByText('02:30 comes twice: it fires the first time').waitFor()
    const months = page.getByRole('region', { name: 'Calendar' }).getByRole('table')
    expect(await months.count()).toBe(3)
    expect(await months.getByText(/fires 02:30/).count()).toBeGreaterThan(60)
  })

  test('a backfill is looked at before it is done', async () => {
    const { stint } = theFixture()
    const hourly = { job: 'greet', params: { who: 'an hour' }, cron: '0 * * * *', timezone: 'Europe/Berlin' }
    const { id } = await stint.schedules.create({ path: '/shop/plan/hourly', ...hourly, enabled: false })
    const page = await open(`/schedules/${id}`)
    await page.getByRole('button', { name: 'Backfill …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('From').fill('2026-03-29T00:30')
    await dialog.getByLabel('To').fill('2026-03-29T04:30')
    // Clocks went forward that night: there was no 02:00.
    await dialog.getByText(/3 instants in this time/).waitFor()
    expect(await dialog.getByRole('row').allTextContents()).toEqual([
      expect.stringMatching(/^Sun 29 Mar 202601:00.*runs$/),
      expect.stringMatching(/03:00.*runs$/),
      expect.stringMatching(/04:00.*runs$/),
    ])
    await screenshot(page, 'backfill-light')
    expect((await stint.jobs.list({ branch: '/shop/plan/hourly' })).items).toEqual([])
    await dialog.getByRole('button', { name: 'Backfill 3' }).click()
    await dialog.waitFor({ state: 'detached' })
    await until(
      () => stint.jobs.list({ branch: '/shop/plan/hourly', outcome: 'COMPLETED' }),
      ({ items }) => items.length === 3,
    )
    await page.getByRole('link', { name: '20260329T000000Z' }).waitFor()
  })

  test('a schedule is made by hand, with its times in words while they are written', async () => {
    const page = await open('/schedules', { refusals: true })
    await page.getByRole('button', { name: 'New schedule …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Path').fill('/shop/plan/by-hand')
    await dialog.getByLabel('Makes jobs of').fill('greet')
    await dialog.getByLabel('When').fill('99 * * * *')
    await dialog.getByText(/must be/).waitFor()
    await dialog.getByLabel('When').fill('0 6 * * 1')
    await dialog.getByText('At 06:00 on Monday, UTC').waitFor()
    await screenshot(page, 'new-schedule-light')
    await dialog.getByRole('button', { name: 'Make the schedule' }).click()
    await page.locator('main h1').getByText('/shop/plan/by-hand').waitFor()
  })

  test('a template is run with a form made of its schema', async () => {
    const { stint } = theFixture()
    const page = await open(await sampleOf('/templates/$template'))
    const form = page.locator('form')
    expect(await form.getByRole('button', { name: 'Run', exact: true }).isEnabled()).toBe(true)
    await form.getByLabel('Day').fill('2026-11-16')
    await form.getByLabel('Sum up by').selectOption('product')
    await form.getByLabel('limit').fill('50')
    await form.getByLabel('Mail it to').fill('ada@example.com\ngrace@example.com')
    await form.getByLabel('With returns').uncheck()
    await form.getByLabel('Name').fill('/shop/plan/export')
    await form.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL('**/jobs/*-*')
    const job = await stint.jobs.get('/shop/plan/export')
    expect(job).toMatchObject({ type: 'sum-up', priority: 3 })
    expect(job?.params).toEqual({
      ...{ by: 'product', format: 'csv', day: '2026-11-16', limit: 50, withReturns: false },
      mailTo: ['ada@example.com', 'grace@example.com'],
    })
  })

  test('a group is sealed, and its members run in the order that was chosen', async () => {
    const { stint } = theFixture()
    const group = await stint.groups.create({ path: '/shop/plan/tour', mode: 'sequential' })
    const stops = ['one', 'two', 'three'].map((who) => {
      return { job: 'greet', params: { who }, options: { name: `/shop/plan/tour/${who}` } }
    })
    await stint.groups.add(group.id, stops)
    const page = await open(`/groups/${group.id}`)
    const row = page.getByRole('row', { name: /three/ })
    await row.hover()
    await row.getByRole('button', { name: 'First' }).click()
    await until(
      () => stint.groups.members(group.id),
      ({ items }) => items[0]?.name === '/shop/plan/tour/three',
    )
    await page.getByRole('button', { name: 'Seal' }).click()
    await page.locator('main header').getByText('Completed').waitFor()
    const { items } = await stint.groups.members(group.id)
    expect(items.map(({ name }) => name)).toEqual([
      '/shop/plan/tour/three',
      '/shop/plan/tour/one',
      '/shop/plan/tour/two',
    ])
  })

  test('a slot is filled by somebody, who stands beside the value; another is given up', async () => {
    const { stint } = theFixture()
    const ok = await stint.slots.create<boolean>('/shop/plan/approval', { label: 'May it go out?' })
    const job = await stint.submit('greet', { who: 'Ada' }, { name: '/shop/plan/goes-out', after: [ok] })
    const page = await open('/slots?path=/shop/plan')
    await page.getByRole('link', { name: '/shop/plan/approval' }).click()
    await page.getByLabel('No false').check()
    await page.getByRole('button', { name: 'Fill', exact: true }).click()
    await page.locator('main header').getByText('Filled').waitFor()
    await page.getByText('Filled bylocal').waitFor()
    expect((await stint.slots.get(ok))?.value).toBe(false)
    expect(await job.result()).toBe('Hello, Ada!')
    const never = await stint.slots.create('/shop/plan/never')
    await page.goto(`${theFixture().server.url}/slots/${never.id.slice(-36)}`)
    await page.getByRole('button', { name: 'Never …' }).click()
    await page.getByRole('dialog').getByLabel('Why').fill('nobody came')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /never be filled/ })
      .click()
    await page.getByText('Why nevernobody came').waitFor()
  })
}
