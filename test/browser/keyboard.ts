import { expect, test } from 'vitest'
import { open, theFixture } from './setup.ts'

export function keyboardSuite(): void {
  test('jobs are reached, found, selected and opened without a mouse', async () => {
    const page = await open('/')
    await page.locator('main h1').waitFor()
    const press = (...keys: readonly string[]) =>
      keys.reduce(async (so, key) => so.then(() => page.keyboard.press(key)), Promise.resolve())
    await press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await press('Escape', 'g', 'j')
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    await press('/')
    await page.keyboard.type('type:send-mail')
    await press('Enter', 'Escape')
    await page.waitForURL(/send-mail/)
    const types = page.locator('tbody tr[data-index] td:nth-child(4)')
    await expect.poll(async () => [...new Set(await types.allTextContents())]).toEqual(['send-mail'])
    // Longer than the field waits for another letter: what was looked for stays.
    await page.waitForTimeout(400)
    expect(await page.getByLabel('Search jobs').inputValue()).toBe('type:send-mail')
    await page.locator('tbody tr[tabindex="0"]').focus()
    await press('j', 'j', 'x', 'k', 'x')
    await page.getByText('2 selected').waitFor()
    await press('x', 'j', 'x', 'End', 'Home', 'j')
    const name = await page.locator('tbody tr:focus a').getAttribute('title')
    await press('Enter')
    await page
      .locator('main h1')
      .getByText(name?.split('/').at(-1) ?? '')
      .waitFor()
    await page.getByRole('link', { name: 'Logs' }).focus()
    await press('Enter')
    await page.waitForURL(/tab=logs/)
    await press('Control+k')
    await page.keyboard.type('tree')
    await press('Enter')
    await page.getByRole('heading', { name: 'Tree' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/tree')
  })

  test('keys go on where they were, also when that was scrolled out of sight', async () => {
    const { stint } = theFixture()
    const items = Array.from({ length: 150 }, (_, i) => ({ job: 'nobody', options: { name: `/long/list-${i}` } }))
    await stint.submitMany(items)
    const page = await open('/jobs?q=name:/long')
    await page.locator('tbody tr[data-index="0"]').focus()
    await page.locator('tbody').hover()
    await page.mouse.wheel(0, 3_000)
    await page.locator('tbody tr[data-index="0"]').waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await page.locator('tbody tr[data-index="1"]:focus').waitFor()
  })

  test('a job is cancelled without a mouse', async () => {
    const page = await open('/jobs?q=name:/demo/later')
    await page.locator('tbody tr[data-index="0"]').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Cancel' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    // What harms nothing has the focus; what is asked for is next to it.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('main header').getByText('Cancelled', { exact: true }).waitFor()
  })
}
