import { expect, test } from 'vitest'
import { defineJob, TerminalError } from '../../src/index.ts'
import { pages } from '../../web/src/pages/pages.ts'
import { open, theFixture } from './setup.ts'

/** What must stay text wherever a user can put it. */
const zoo = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  "javascript:alert('3')",
  '</script><svg onload=alert(4)>',
  '{{constructor.constructor("alert(5)")()}}',
  '\u001b[31mred\u001b]8;;javascript:alert(6)\u0007link',
  '‮gnp.exe',
]
const all = zoo.join(' ')
const long = all.slice(0, 120)

/** Puts them into every field that a user can set. */
async function plant(): Promise<{ readonly job: string; readonly records: readonly string[] }> {
  const { stint, server } = theFixture()
  const evil = defineJob('evil', {
    run: (ctx) => {
      for (const each of zoo) ctx.log(each)
      throw new TerminalError(all)
    },
  })
  const worker = stint.worker({ jobs: [evil], name: zoo[1] ?? '' })
  await worker.start()
  // Slashes would make branches of them, and control characters are refused in names.
  const name = `/evil/${zoo.slice(0, 5).join(' ').replaceAll('/', '∕').slice(0, 100)}`
  const job = await stint.submit(
    evil,
    { value: all, [zoo[0] ?? '']: zoo },
    {
      name,
      key: long,
      labels: { [long]: all.slice(0, 200) },
      priority: 1,
    },
  )
  await expect(job.result()).rejects.toThrow()
  await stint.events.append({ type: 'evil.event', source: long, job, attributes: { [zoo[0] ?? '']: all } })
  const slots = await Promise.all(
    ['open', 'filled', 'failed'].map((at) => stint.slots.create(`/evil/${at}`, { label: long })),
  )
  await stint.slots.fill('/evil/filled', { [zoo[0] ?? '']: all }, { by: long })
  await stint.slots.fail('/evil/failed', all)
  const property = { type: 'string', title: long, description: all, enum: zoo }
  const schema = { type: 'object', properties: { [zoo[0] ?? '']: property, value: { type: 'string' } } }
  const about = { label: long, description: all, labels: { evil: long }, limits: [long] }
  const template = await stint.templates.create({
    path: '/evil/template',
    job: evil,
    params: { value: all },
    schema,
    ...about,
  })
  const when = { cron: '0 0 1 1 *', params: { value: all } }
  const schedule = await stint.schedules.create({
    path: '/evil/schedule',
    label: long,
    template: '/evil/template',
    ...when,
  })
  const group = await stint.groups.run({
    path: '/evil/group',
    label: long,
    mode: 'parallel',
    jobs: [{ job: 'nobody' }],
  })
  await stint.pause('/evil/paused', { reason: long })
  await stint.submit('nobody', { value: all }, { name: '/evil/paused/job' })
  await stint.limits.set(long, { concurrency: 1 })
  // Types have an alphabet of their own, which this fits.
  await stint.submit('javascript:alert', null, { name: '/evil/type' })
  await stint.pause({ type: 'javascript:alert' }, { reason: long })
  const send = (path: string, body: unknown) =>
    fetch(`${server.url}/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await send('/keys', { label: long, role: 'read' })
  const address = 'http://127.0.0.1:9/<img src=x onerror=alert(7)>'
  const webhook = await send('/webhooks', { url: address, types: ['evil.none'], label: long })
  expect(webhook.status).toBe(201)
  await worker.stop({ graceMs: 0 })
  const records = [
    ...slots.map((slot) => `/slots/${slot.id.slice(-36)}`),
    ...[`/templates/${template.id}`, `/schedules/${schedule.id}`, `/groups/${group.id}`],
    ...[`/webhooks/${((await webhook.json()) as { id: string }).id}`, '/slots?tab=all'],
    ...[`/schedules?path=${encodeURIComponent(zoo[0] ?? '')}`, `/templates/${encodeURIComponent(zoo[1] ?? '')}`],
  ]
  return { job: job.id, records }
}

export function textsSuite(): void {
  test('whatever users write stays text, on every page', async () => {
    const { job: id, records } = await plant()
    const page = await open('/', { refusals: true })
    const parts = ['', '?tab=graph', '?tab=shards', '?tab=events', '?tab=logs', '?tab=data', '?tab=lineage']
    const addresses = [
      ...pages.filter(({ path }) => !path.includes('$')).map(({ path }) => path),
      ...parts.map((part) => `/jobs/${id}${part}`),
      ...records,
      `/jobs?q=${encodeURIComponent(zoo[0] ?? '')}`,
      `/jobs/${encodeURIComponent(zoo[0] ?? '')}`,
      `/tree?path=${encodeURIComponent(`/evil/${zoo[0]}`)}`,
    ]
    for (const address of addresses) {
      await page.goto(`${theFixture().server.url}${address}`)
      await page.locator('main h1').waitFor()
      await page.locator('main[aria-busy="false"]').waitFor()
      const made = await page.evaluate(
        () => document.querySelectorAll('main img, main script, [onerror], [onload], a[href^="javascript"]').length,
      )
      expect(made, address).toBe(0)
    }
  })

  test('colours of terminals become colours, and their other sequences nothing', async () => {
    const { stint } = theFixture()
    const { items } = await stint.jobs.list({ branch: '/evil', outcome: 'FAILED' })
    const page = await open(`/jobs/${items[0]?.id}?tab=logs`)
    const log = page.getByRole('region', { name: 'Log' })
    expect(await log.getByText('red').getAttribute('class')).toContain('text-fail')
    expect(await log.textContent()).not.toContain('\u001b')
    expect(await log.textContent()).not.toContain('alert(6)')
  })
}
