import axe from 'axe-core'
import { expect, test } from 'vitest'
import { pages } from '../../web/src/pages/pages.ts'
import { screenshot } from './browser.ts'
import { open, theFixture } from './setup.ts'

/** Things to look at on pages that are of one thing. */
async function addressOf(path: string): Promise<string> {
  const { stint } = theFixture()
  const job = await stint.jobs.get('/search/products')
  return path.replace('$job', job?.id ?? '')
}

export function pagesSuite(): void {
  for (const { path, label } of pages) {
    test.for(['light', 'dark'] as const)(
      `${label} opens in %s, with nothing in the way of anybody`,
      async (colorScheme) => {
        const page = await open(await addressOf(path), { colorScheme })
        await page.locator('main h1').waitFor()
        await page.locator('main[aria-busy="false"]').waitFor()
        await screenshot(page, `${label.toLowerCase().replaceAll(' ', '-')}-${colorScheme}`)
        await page.evaluate(axe.source)
        const { violations } = await page.evaluate(() => {
          return (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ['violations'] })
        })
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
      },
    )
  }
}
