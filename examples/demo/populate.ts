import type { Stint } from 'stint'
import { addUp, charge, deliver, flaky, greet, hopeless, report, telephone, welcome } from '../jobs.ts'
import { dailyReport, importFeed, reindex, sendMail, watchStock } from './shop.ts'

const keep = { onConflict: 'keep' } as const

/** Some of everything. What is there from the last time stays. */
export async function populate(stint: Stint): Promise<void> {
  await greetings(stint)
  await stint.limits.set('/demo/greetings', { concurrency: 2, rate: '100/min' })
  if ((await stint.templates.get('/demo/greeting')) !== null) return
  await stint.templates.create({ path: '/demo/greeting', job: greet, params: { who: 'everybody' } })
  await stint.schedules.create({ path: '/demo/every-minute', template: '/demo/greeting', cron: '* * * * *' })
  const mornings = { cron: '30 8 * * 1-5', timezone: 'Europe/Berlin' }
  await stint.schedules.create({ path: '/demo/mornings', template: '/demo/greeting', ...mornings })
  await plans(stint)
  const guests = ['Barbara', 'Edsger', 'Leslie'].map((who) => ({ job: greet, params: { who } }))
  await stint.groups.run({ path: '/demo/guests', mode: 'sequential', jobs: guests })
  await shop(stint)
}

/** Things to run by hand, and at times that clocks are changed over. */
async function plans(stint: Stint): Promise<void> {
  await stint.templates.create({
    path: '/reports/export',
    job: 'sum-up',
    label: 'Export the orders of a day',
    description: 'For the accountants. It takes a minute or two on busy days.',
    params: { by: 'region', format: 'csv' },
    priority: 3,
    schema: {
      type: 'object',
      properties: {
        day: { type: 'string', format: 'date', title: 'Day', description: 'By the clocks of the warehouse.' },
        by: { type: 'string', enum: ['region', 'product', 'customer'], title: 'Sum up by' },
        format: { type: 'string', enum: ['csv', 'parquet'] },
        limit: { type: 'integer', minimum: 1, maximum: 100_000, description: 'Rows at the most.' },
        mailTo: { type: 'array', items: { type: 'string' }, title: 'Mail it to' },
        withReturns: { type: 'boolean', title: 'With returns', default: true },
      },
      required: ['day', 'by', 'format'],
    },
  })
  const night = { cron: '30 2 * * *', timezone: 'Europe/Berlin', overlap: 'skip' } as const
  const excludedDates = ['2026-12-24', '2026-12-25', '2026-12-31']
  await stint.schedules.create({
    path: '/reports/nightly',
    job: greet,
    params: { who: 'the night' },
    ...night,
    excludedDates,
  })
}

async function greetings(stint: Stint): Promise<void> {
  await stint.submit(greet, { who: 'Ada' }, { name: '/demo/greetings/ada', ...keep })
  await stint.submit(greet, { who: 'Grace' }, { name: '/demo/greetings/grace', priority: 5, ...keep })
  await stint.submit(flaky, { failTimes: 2 }, { name: '/demo/trouble/flaky', ...keep })
  await stint.submit(hopeless, undefined, { name: '/demo/trouble/hopeless', ...keep })
  const inAnHour = new Date(Date.now() + 3_600_000)
  await stint.submit(greet, { who: 'you, an hour later' }, { name: '/demo/later', scheduledFor: inAnHour, ...keep })
  await stint.submit(charge, { cents: 4_200 }, { name: '/demo/payments/order-7', key: 'order-7', ...keep })
  await stint.submit(deliver, { order: 'order-7' }, { name: '/demo/parcels/order-7', ...keep })
  await stint.submit('command', { command: 'node', args: ['--version'] }, { name: '/demo/programs/node', ...keep })
  await stint.submit(report, { day: 'Monday' }, { name: '/demo/report', ...keep })
  await stint.submit(telephone, undefined, { name: '/demo/telephone', ...keep })
  await stint.submit(addUp, { upTo: 100_000 }, { name: '/demo/sum', ...keep })
  await stint.submit(welcome, { guests: ['Ada', 'Grace'] }, { name: '/demo/evening', ...keep })
  await stint.submit('print', { pages: 3 }, { name: '/demo/nobody-knows-this-type', ...keep })
}

/** A shop on an ordinary day. */
async function shop(stint: Stint): Promise<void> {
  for (const supplier of ['Acme', 'Nordwind']) {
    const options = { name: `/shop/feeds/${supplier.toLowerCase()}`, labels: { team: 'catalogue' } }
    await stint.submit(importFeed, { supplier, products: 120 }, options)
  }
  await stint.submit(watchStock, { warehouse: 'Leipzig' }, { name: '/shop/stock/leipzig', labels: { team: 'stock' } })
  await stint.submit(dailyReport, { day: '2026-11-16' }, { name: '/reports/daily/2026-11-16' })
  await stint.submit(reindex, { shards: 400, broken: 6 }, { name: '/search/products', labels: { team: 'search' } })
  const mails = [...Array(40).keys()].map((i) => ({
    job: sendMail,
    params: { to: `${i % 9 === 4 ? 'slow' : 'customer'}-${i}@example.${i % 11 === 7 ? 'invalid' : 'com'}` },
    options: { name: `/shop/mails/order-${7_000 + i}`, labels: { team: 'shop' } },
  }))
  await stint.submitMany(mails)
  const returns = ['Lille', 'Gent', 'Essen', 'Graz', 'Turin', 'Porto'].map((city) => {
    const options = { name: `/shop/returns/${city.toLowerCase()}` }
    return city === 'Graz' ? { job: hopeless, options } : { job: greet, params: { who: city }, options }
  })
  const letters = { path: '/shop/returns/letters', label: 'Letters to all warehouses' }
  await stint.groups.run({ ...letters, mode: 'parallel', width: 2, jobs: returns })
  const parcels = { path: '/shop/parcels/monday', label: 'The tour of Monday' }
  const tour = await stint.groups.create({ ...parcels, mode: 'sequential', onFailure: 'continue' })
  const stops = [7_010, 7_011, 7_012].map((order) => {
    return { job: greet, params: { who: `order ${order}` }, options: { name: `/shop/parcels/monday/${order}-stop` } }
  })
  await stint.groups.add(tour.id, stops)
  await stint.limits.set('invoices', { concurrency: 1 })
  await stint.pause('/shop/invoices', { reason: 'the printer is being repaired' })
  for (const order of [7_001, 7_002, 7_003]) {
    await stint.submit('print-invoice', { order }, { name: `/shop/invoices/order-${order}`, limits: ['invoices'] })
  }
}

/** Lets the shop go on: every few seconds a feed comes in, and a mail goes out. */
export async function keepBusy(stint: Stint): Promise<void> {
  if ((await stint.schedules.get('/shop/feeds/refresh')) !== null) return
  const often = { intervalMs: 5_000, overlap: 'skip', catchUp: 'none' } as const
  const feed = { job: importFeed, params: { supplier: 'Acme', products: 60 } }
  await stint.schedules.create({ path: '/shop/feeds/refresh', ...feed, ...often })
  const mail = { job: sendMail, params: { to: 'newsletter@example.com' } }
  await stint.schedules.create({ path: '/shop/mails/newsletter', ...mail, intervalMs: 3_000, catchUp: 'none' })
}
