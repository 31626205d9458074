/** A job that is complete when events from outside have come: in any order, each counted once, however often it is sent. */
import { createStint } from 'stint'
import { deliver } from './jobs.ts'

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [deliver] })
await worker.start()

const job = await stint.submit(deliver, { order: 'A-7' }, { name: '/shop/deliver-A-7' })
for (const id of ['parcel-2', 'parcel-2', 'parcel-1']) {
  const { outcome } = await stint.events.append({ type: 'parcel.arrived', source: 'carrier', id, job: job.id })
  console.log(`${id}: ${outcome}`)
}
await job.result()
console.log(`outcome: ${(await stint.jobs.get(job.id))?.outcome}`)
await stint.close()
