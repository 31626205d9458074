import { expect, test } from 'vitest'
import { reindex } from '../../examples/demo/shop.ts'
import { until } from '../support/stint.ts'
import { open, theFixture } from './setup.ts'

export function jobSuite(): void {
  test('somebody fills a slot in the graph, and what waited for it goes on', async () => {
    const { stint } = theFixture()
    const job = await stint.submit('daily-report', { day: '2026-11-17' }, { name: '/reports/daily/to-approve' })
    await until(
      () => stint.jobs.get('/reports/daily/to-approve/draw-charts'),
      (charts) => charts?.outcome === 'COMPLETED',
    )
    const page = await open(`/jobs/${job.id}?tab=graph`)
    await page.getByRole('button', { name: /approval/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'JSON' }).click()
    await page.getByRole('dialog').getByLabel('Value, as JSON').fill('{"by":"Ada"}')
    await page.getByRole('dialog').getByRole('button', { name: 'Fill', exact: true }).click()
    await page.locator('main header').getByText('Completed').waitFor()
    await page
      .getByRole('button', { name: /approval/ })
      .getByText('Filled')
      .waitFor()
    expect(await job.result()).toBe('published')
  })

  test('tasks that were not done run again, as a new job, and the others keep what they did', async () => {
    const { stint } = theFixture()
    const before = await stint.jobs.get('/search/products')
    const page = await open(`/jobs/${before?.id}?tab=shards`)
    await page.getByRole('button', { name: /^Failed/ }).click()
    await page.getByRole('row', { name: /segment 42 is damaged/ }).click()
    await page.getByRole('complementary', { name: 'Task 42' }).getByText('segment 42 is damaged').waitFor()
    await page.getByRole('button', { name: /not done again/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /not done again/ })
      .click()
    await page.waitForURL((url) => !url.pathname.includes(before?.id.slice(-12) ?? ''))
    const after = await stint.jobs.get('/search/products')
    expect(after?.retryOf).toBe(before?.id)
    await page.getByRole('link', { name: 'Lineage' }).click()
    await page.getByText('Repeats').waitFor()
  })

  test('tasks are selected with mouse and keys, and they and what is not done run again', async () => {
    const { stint } = theFixture()
    const before = await stint.submit(reindex, { shards: 30, broken: 1 }, { name: '/search/some' })
    await before.result()
    const page = await open(`/jobs/${before.id}?tab=shards`)
    const grid = page.getByRole('img', { name: '30 tasks: 29 done, 1 failed' })
    const click = (index: number, ...modifiers: ('Shift' | 'ControlOrMeta')[]) =>
      grid.click({ position: { x: index * 18 + 8, y: 8 }, modifiers })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await button('Run the task that is not done again').waitFor()
    await click(5)
    await page.getByRole('complementary', { name: 'Task 5' }).getByText('segment 5 is damaged').waitFor()
    await button('Run 1 selected again').waitFor()
    await click(7)
    await page.getByRole('complementary', { name: 'Task 7' }).waitFor()
    await click(9, 'Shift')
    await click(12, 'ControlOrMeta')
    await button('Run 4 selected again, and 1 that is not done').waitFor()
    for (const key of ['Shift+ArrowRight', 'ArrowRight', 'Space', 'x', 'ArrowLeft']) await page.keyboard.press(key)
    await page.getByText('Task 13, done, selected').waitFor()
    await page
      .getByRole('row', { name: / 20 Done/ })
      .getByRole('checkbox')
      .check()
    await button('Run 6 selected again, and 1 that is not done').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('a new job runs the 6 selected, and the 1 that was not done').waitFor()
    await dialog.getByRole('button', { name: 'Command line' }).click()
    expect(await dialog.locator('pre').textContent()).toContain(`stint retry ${before.id} --tasks 7-9,12-13,20`)
    await dialog.getByRole('button', { name: /^Run 6 selected/ }).click()
    await page.waitForURL((url) => !url.pathname.includes(before.id.slice(-12)))
    const after = await until(
      () => stint.jobs.get('/search/some'),
      (job) => job?.state === 'final',
    )
    expect([after?.retryOf, after?.outcome]).toEqual([before.id, 'COMPLETED'])
    const { items } = await stint.shards.tasks(after?.id ?? '')
    const ran = items.filter(({ slice, status }) => slice > 0 || status !== 'DONE')
    expect(ran.map(({ index }) => index)).toEqual([5, 7, 8, 9, 12, 13, 20])
  })

  test('the log of a job that runs is followed, searched, and each line has an address', async () => {
    const { stint } = theFixture()
    const job = await stint.jobs.get('/shop/stock/leipzig')
    const page = await open(`/jobs/${job?.id}?tab=logs`)
    const log = page.getByRole('region', { name: 'Log' })
    await log.getByText('look 1', { exact: true }).waitFor()
    await log.getByText('look 2', { exact: true }).waitFor()
    expect(await log.getByText('in order').first().getAttribute('class')).toContain('text-ok')
    await page.getByLabel('Find in the log').fill('LOOK 2 ALL')
    await page.getByText(/^1 of \d+ lines$/).waitFor()
    await log.getByRole('button', { name: '2', exact: true }).click()
    expect(new URL(page.url()).searchParams.get('line')).toBe('2')
  })

  test('every action is copied as curl, command line and TypeScript', async () => {
    const { stint } = theFixture()
    const job = await stint.jobs.get('/demo/later')
    const page = await open(`/jobs/${job?.id}`)
    await page.getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'Cancel', exact: true }).click()
    const shown = page.getByRole('dialog').locator('pre')
    expect(await shown.textContent()).toContain(`/v1/jobs/${job?.id}/cancel`)
    await page.getByRole('button', { name: 'Command line' }).click()
    expect(await shown.textContent()).toContain(`stint cancel ${job?.id}`)
    await page.getByRole('button', { name: 'TypeScript' }).click()
    expect(await shown.textContent()).toContain(`await client.jobs.cancel('${job?.id}')`)
  })
}
