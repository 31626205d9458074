import { expect, test } from 'vitest'
import { open, theFixture } from './setup.ts'

export function treeSuite(): void {
  test('a branch is paused and goes on, and the jobs below it say so', async () => {
    const { stint } = theFixture()
    await stint.submit('greet', { who: 'nobody' }, { name: '/branch/quiet/first' })
    const page = await open('/tree?open=/branch')
    const row = page.getByRole('row', { name: /quiet/ })
    await row.hover()
    await row.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('paused').waitFor()
    const job = await stint.submit('greet', { who: 'Ada' }, { name: '/branch/quiet/second' })
    await page.goto(`${theFixture().server.url}/jobs/${job.id}`)
    await page.getByText('Paused at /branch/quiet.').waitFor()
    await page.goBack()
    await row.hover()
    await row.getByRole('button', { name: 'Resume' }).click()
    expect(await job.result()).toBe('Hello, Ada!')
  })
}
