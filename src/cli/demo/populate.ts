import type { Stint } from '../../engine/stint.ts'
import { charge, deliver, flaky, greet, hopeless, index, render, welcome } from './jobs.ts'

/** Some of everything. What is there from the last time stays. */
export async function populate(stint: Stint): Promise<void> {
  await submitJobs(stint)
  await stint.limits.set('/demo/greetings', { concurrency: 2, rate: '100/min' })
  if ((await stint.templates.get('/demo/greeting')) !== null) return
  await stint.templates.create({ path: '/demo/greeting', job: greet, params: { who: 'everybody' } })
  await stint.schedules.create({ path: '/demo/every-minute', template: '/demo/greeting', cron: '* * * * *' })
  const mornings = { cron: '30 8 * * 1-5', timezone: 'Europe/Berlin' }
  await stint.schedules.create({ path: '/demo/mornings', template: '/demo/greeting', ...mornings })
  const guests = ['Barbara', 'Edsger', 'Leslie'].map((who) => {
    return { job: greet, params: { who }, options: { name: `/demo/guests/${who.toLowerCase()}` } }
  })
  await stint.groups.run({ path: '/demo/guests', mode: 'sequential', jobs: guests })
  const chapters = [8, 16, 24, 12].map((pages, i) => {
    return { job: render, params: { pages }, options: { name: `/demo/book/chapter-${i + 1}` } }
  })
  await stint.groups.run({ path: '/demo/book', mode: 'parallel', width: 2, jobs: chapters })
}

async function submitJobs(stint: Stint): Promise<void> {
  const keep = { onConflict: 'keep' } as const
  const inAnHour = new Date(Date.now() + 3_600_000)
  await Promise.all([
    stint.submit(greet, { who: 'Ada' }, { name: '/demo/greetings/ada', ...keep }),
    stint.submit(greet, { who: 'Grace' }, { name: '/demo/greetings/grace', priority: 5, ...keep }),
    stint.submit(greet, { who: 'you, an hour later' }, { name: '/demo/later', scheduledFor: inAnHour, ...keep }),
    stint.submit(render, { pages: 60 }, { name: '/demo/reports/yearly', ...keep }),
    stint.submit(flaky, { failTimes: 2 }, { name: '/demo/trouble/flaky', ...keep }),
    stint.submit(hopeless, undefined, { name: '/demo/trouble/hopeless', ...keep }),
    stint.submit(charge, { cents: 4_200 }, { name: '/demo/payments/order-7', key: 'order-7', ...keep }),
    stint.submit(deliver, { order: 'order-7' }, { name: '/demo/parcels/order-7', ...keep }),
    stint.submit('command', { command: 'node', args: ['--version'] }, { name: '/demo/programs/node', ...keep }),
    stint.submit(index, { files: 40 }, { name: '/demo/index', ...keep }),
    stint.submit(welcome, { guests: ['Ada', 'Grace'] }, { name: '/demo/evening', ...keep }),
    stint.submit('print', { pages: 3 }, { name: '/demo/nobody-knows-this-type', ...keep }),
  ])
}
