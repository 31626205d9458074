/** A job that somebody outside completes: a payment provider, a person, another system. No worker is held meanwhile. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createStint } from 'stint'
import { charge } from './jobs.ts'

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [charge] })
await worker.start()

const job = await stint.submit(charge, { cents: 4_200 }, { name: '/shop/charge-17', key: 'order-17' })
while (!(await stint.jobs.get(job.id))?.reason?.includes('awaits')) await sleep(5)
const waiting = await stint.jobs.get(job.id)
console.log(`${waiting?.status}, ${waiting?.reason}; the worker holds ${worker.heldCount} jobs`)

// Days later, in a webhook of the provider. The key is all that is needed to find the job.
await stint.complete({ namespace: 'shop', type: 'charge', key: 'order-17' }, { receipt: 'R-99' })
console.log('result:', await job.result())

// A second answer finds no job that could take it.
await stint.complete({ namespace: 'shop', type: 'charge', key: 'order-17' }).catch((error) => console.log(error.code))
await stint.close()
