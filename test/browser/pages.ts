import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { pages } from '../../web/src/pages/pages.ts'
import { screenshot } from './browser.ts'
import { sampleOf } from './samples.ts'
import { open, opened, theFixture } from './setup.ts'

/** What is looked at on pages that are of one thing: a part of the page, and the thing. */
const parts: Readonly<Record<string, readonly (readonly [part: string, query: string, job: string])[]>> = {
  '/jobs/$job': [
    ['timeline', '', '/shop/feeds/nordwind'],
    ['graph', '?tab=graph', '/reports/daily/2026-11-16'],
    ['shards', '?tab=shards&task=116', '/search/products'],
    ['events', '?tab=events', '/shop/feeds/nordwind/large'],
    ['logs', '?tab=logs', '/shop/feeds/acme'],
    ['data', '?tab=data', '/shop/feeds/nordwind/large'],
    ['lineage', '?tab=lineage', '/shop/feeds/acme'],
  ],
}

/** Every page, and every part of those that have parts. */
const views = pages.flatMap(({ path, label }) => {
  return (parts[path] ?? [['', '', '']]).map(([part, query, job]) => {
    return {
      name: [label.toLowerCase(), part].filter(Boolean).join('-').replaceAll(' ', '-'),
      path: `${path}${query}`,
      job,
    }
  })
})

/** Every page gets it anew, so it is the short form. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** In bytes as they come over the wire, fonts aside, which a browser may do without. */
const firstLoadMax = 180 * 1_024

export function pagesSuite(): void {
  test('the first load is small', async () => {
    const { page } = await opened('/')
    await page.locator('main canvas').waitFor()
    const loaded = await page.evaluate(() => {
      const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      return entries.map((entry) => [entry.name, (entry as PerformanceResourceTiming).encodedBodySize] as const)
    })
    const parts = loaded.filter(([url]) => /(?:\/|\.js|\.css)$/.test(url))
    const total = parts.reduce((sum, [, size]) => sum + size, 0)
    expect(parts.length).toBeGreaterThan(3)
    expect(total, JSON.stringify(parts)).toBeLessThan(firstLoadMax)
  })

  test.for(views)(
    '$name opens in both colours and in a narrow window, and leaves nobody out',
    async ({ name, path, job }) => {
      const id = job === '' ? '' : (await theFixture().stint.jobs.get(job))?.id
      const page = await open(await sampleOf(path.replace('$job', id ?? '')))
      await page.locator('main h1').waitFor()
      await settled(page)
      await screenshot(page, `${name}-light`)
      await page.evaluate(axeSource)
      expect(await seriousIn(page)).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator(':root[data-theme="dark"]').waitFor()
      await screenshot(page, `${name}-dark`)
      expect(await seriousIn(page, ['color-contrast'])).toEqual([])
      await page.setViewportSize({ width: 800, height: 900 })
      await page.getByRole('button', { name: 'Menu' }).waitFor()
      await screenshot(page, `${name}-narrow`)
      expect(await cutOffIn(page)).toEqual([])
    },
  )

  test('in a narrow window the pages are behind a button', async () => {
    const page = await open('/', { viewport: { width: 800, height: 900 } })
    await page.getByRole('button', { name: 'Menu' }).click()
    const menu = page.getByRole('dialog', { name: 'Menu' })
    await menu.getByRole('link', { name: 'Tree' }).click()
    await page.getByRole('heading', { name: 'Tree' }).waitFor()
    expect(await menu.count()).toBe(0)
    await page.getByRole('button', { name: 'Menu' }).press('Enter')
    await page.evaluate(axeSource)
    expect(await seriousIn(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await menu.count()).toBe(0)
  })
}

/** Whatever the page asked for has come. */
async function settled(page: Page): Promise<void> {
  await page.locator('main[aria-busy="false"]').waitFor()
  await page.locator('[aria-label="Loading"]').waitFor({ state: 'detached' })
}

/** Titles of columns that have no room, and parts that stand out of the window. */
async function cutOffIn(page: Page): Promise<unknown> {
  return await page.evaluate(() => {
    const shown = [...document.querySelectorAll<HTMLElement>('main th, main header, main section, main table')]
    const isCut = (each: HTMLElement) =>
      each.getBoundingClientRect().right > innerWidth || (each.tagName === 'TH' && each.scrollWidth > each.clientWidth)
    return shown.filter((each) => each.checkVisibility() && isCut(each)).map((each) => each.outerHTML.slice(0, 200))
  })
}

/** What keeps people from using it, with where it is. */
async function seriousIn(page: Page, rules?: readonly string[]): Promise<unknown> {
  const { violations } = await page.evaluate((only) => {
    const { axe: tool } = globalThis as unknown as { axe: typeof axe }
    return tool.run(document, {
      resultTypes: ['violations'],
      ...(only === undefined ? {} : { runOnly: { type: 'rule', values: [...only] } }),
    })
  }, rules)
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}
