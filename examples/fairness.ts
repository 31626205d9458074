/** Turns between namespaces, and workers bound to branches. */
import { createStint, defineJob } from 'stint'

const ran: string[] = []
const render = defineJob('render', {
  run: (ctx) => {
    ran.push(ctx.name)
  },
})

const stint = await createStint({ url: 'sqlite::memory:' })

// A tenant with a thousand jobs, and one whose only job comes after them all.
await stint.submitMany(Array.from({ length: 1_000 }, (_, i) => ({ job: render, options: { name: `/big/job-${i}` } })))
const first = await stint.submit(render, null, { name: '/small/job' })

// In strict order it would run last. Where namespaces take turns it is the second.
const fair = stint.worker({ jobs: [render], concurrency: 1, fairness: 'namespace' })
await fair.start()
await first.result()
console.log('/small/job ran as number', ran.indexOf('/small/job') + 1)
await fair.stop()

// A worker for some branches leaves all others alone, and their jobs say so.
const bound = stint.worker({ jobs: [render], paths: ['/small', '/big'] })
await bound.start()
const report = await stint.submit(render, null, { name: '/reports/daily' })
console.log('/reports/daily waits:', (await stint.jobs.get('/reports/daily'))?.reason)

const reporter = stint.worker({ jobs: [render], paths: ['/reports'] })
await reporter.start()
await report.result()
console.log('/reports/daily ran:', ran.includes('/reports/daily'))
await stint.close()
