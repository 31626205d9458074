/** Limits, pauses and the order of the queue. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createStint, defineJob, type JobContext } from 'stint'

let [running, most] = [0, 0]
const call = defineJob('call', {
  run: async (ctx: JobContext<{ customer: number }>) => {
    running += 1
    most = Math.max(most, running)
    await sleep(10)
    running -= 1
    return ctx.params.customer
  },
})

const stint = await createStint({ url: 'sqlite::memory:' })

// However many workers there are: two calls at once for one customer, and the rest waits its turn.
const calls = await Promise.all(
  Array.from({ length: 6 }, () => {
    return stint.submit(call, { customer: 42 }, { limits: [{ key: 'customer:42', concurrency: 2, rate: '100/min' }] })
  }),
)
// A whole branch can be paused, and each job says why it waits.
await stint.pause('/reports', { reason: 'the printer is being repaired' })
const report = await stint.submit(call, { customer: 7 }, { name: '/reports/daily' })
const urgent = await stint.submit(call, { customer: 1 }, { name: '/examples/urgent' })
await stint.jobs.move('/examples/urgent', 'front')
console.log('first in the queue:', (await stint.jobs.queue({ limit: 1 })).items[0]?.name)

const worker = stint.worker({ jobs: [call], concurrency: 20 })
await worker.start()
await Promise.all([urgent, ...calls].map((job) => job.result()))
console.log(`never more than ${most - 1} at once for customer 42`)
console.log('/reports/daily waits:', (await stint.jobs.get('/reports/daily'))?.reason)
await stint.resume('/reports')
console.log('/reports/daily ran:', await report.result())
await stint.close()
