/** A first job: define it, submit it, run it, wait for its result. */
import { createStint } from 'stint'
import { greet } from './jobs.ts'

const stint = await createStint({ url: 'sqlite::memory:' }) // or sqlite:./jobs.db, or postgres://…
const worker = stint.worker({ jobs: [greet] })
await worker.start()

const job = await stint.submit(greet, { who: 'Ada' }, { name: '/examples/hello' })
console.log(`submitted ${job.name}: ${job.status}`)
console.log(await job.result())

const done = await stint.jobs.get('/examples/hello')
console.log(`then: ${done?.outcome} in attempt ${done?.attempt}`)
await stint.close()
