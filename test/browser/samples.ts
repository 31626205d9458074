import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect, type WebhookView } from '../../src/client/index.ts'
import { until } from '../support/stint.ts'
import { theFixture } from './setup.ts'

/** Things for pages that are of one thing. */
const samples: Readonly<Record<string, () => Promise<string | undefined>>> = {
  $schedule: async () => (await theFixture().stint.schedules.get('/reports/nightly'))?.id,
  $template: async () => (await theFixture().stint.templates.get('/reports/export'))?.id,
  $group: async () => {
    const { items } = await theFixture().stint.groups.list({ path: '/shop/returns', all: true })
    return items[0]?.id
  },
  $slot: async () => (await theFixture().stint.slots.get('/reports/daily/2026-11-16/approval'))?.id.slice(-36),
  $webhook: async () => (await theWebhook()).id,
}

/** The address of a page, with something in the place of what it is of. */
export async function sampleOf(path: string): Promise<string> {
  if (path === '/webhooks') await theWebhook()
  const [param] = /\$\w+/.exec(path) ?? []
  if (param === undefined) return path
  const id = await samples[param]?.()
  if (id === undefined) throw new Error(`There is no sample for ${param}: add one.`)
  return path.replace(param, id)
}

let webhook: Promise<WebhookView> | null = null

/** Somebody who takes messages, but for those that tell of a failure, of which one of each has come. */
export function theWebhook(): Promise<WebhookView> {
  webhook ??= makeWebhook()
  return webhook
}

async function makeWebhook(): Promise<WebhookView> {
  const receiver = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      response.writeHead(body.includes('"job.run.failed"') ? 503 : 204)
      response.end('the ledger is closed')
    })
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  // The tests end when everything else has: nobody waits for this one.
  receiver.unref()
  const { port } = receiver.address() as AddressInfo
  const { stint, server } = theFixture()
  const client = connect({ url: server.url })
  const types = ['job.run.completed', 'job.run.failed']
  const url = `http://127.0.0.1:${port}/shop/ledger`
  const made = await client.webhooks.create({ url, types, path: '/shop/ledger', label: 'The ledger' })
  await stint.submit('greet', { who: 'the ledger' }, { name: '/shop/ledger/entry' })
  await stint.submit('hopeless', null, { name: '/shop/ledger/broken' })
  await until(
    () => client.webhooks.deliveries(made.id),
    ({ items }) => items.length >= 2 && items.every(({ status }) => status === 'DELIVERED' || status === 'FAILED'),
  )
  return made
}
