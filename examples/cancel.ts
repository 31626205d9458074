/** Cancel: at once what waits, by a signal what runs, and all that is below a name. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createStint, defineJob } from 'stint'

/** A handler stops by itself when its signal says so. */
const patient = defineJob('patient', {
  run: async (ctx) => {
    ctx.log('waiting for a very long time')
    await ctx.submit('patient', undefined, { name: 'child', scheduledFor: new Date(Date.now() + 3_600_000) })
    await sleep(3_600_000, undefined, { signal: ctx.signal })
  },
})

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [patient] })
await worker.start()

const job = await stint.submit(patient, undefined, { name: '/examples/patient' })
while ((await stint.jobs.get('/examples/patient/child')) === null) await sleep(5)

await stint.jobs.cancel('/examples/patient', { reason: 'nobody needs it any more' })
await job.result().catch((error: Error) => console.log(error.message))
for (const name of ['/examples/patient', '/examples/patient/child']) {
  const { status, attempt } = (await stint.jobs.get(name)) ?? {}
  console.log(`${name}: ${status} after ${attempt} attempts`)
}
await stint.close()
