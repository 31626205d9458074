/** Failures: tried again with growing waits, until the job has no attempt left or says that it is hopeless. */
import { createStint } from 'stint'
import { flaky, hopeless } from './jobs.ts'

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [flaky, hopeless] })
await worker.start()

const job = await stint.submit(flaky, { failTimes: 2 }, { name: '/examples/flaky' })
console.log(await job.result())
for (const run of (await stint.runs.list({ job: job.id })).items) {
  console.log(`  run ${run.attempt}: ${run.status} ${run.error ?? ''}`)
}

// What follows a failure for good can be a job of its own.
const lost = await stint.submit(hopeless, undefined, { onFailure: { type: 'alert', name: '/examples/alert' } })
await lost.result().catch((error: Error) => console.log(error.message))
console.log('alert got:', JSON.stringify((await stint.jobs.get('/examples/alert'))?.params))
await stint.close()
