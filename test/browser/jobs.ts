import { expect, test } from 'vitest'
import { open } from './setup.ts'

export function jobsSuite(): void {
  test('a job that is submitted by hand opens, and its end is shown when it comes', async () => {
    const page = await open('/jobs')
    await page.getByRole('button', { name: 'Submit a job' }).click()
    await page.getByLabel('Type').fill('greet')
    await page.getByLabel('Name', { exact: true }).fill('/mine/by-hand')
    await page.getByLabel('Params').fill('{"who":"Ada"}')
    await page.getByRole('button', { name: 'Submit', exact: true }).click()
    await page.waitForURL('**/jobs/*-*')
    expect(page.url()).toContain('/jobs/')
  })
}
