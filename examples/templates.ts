/** Templates: what jobs are made of, again and again; and defaults that a branch of names has. */
import { createStint, defineJob, type JobContext } from 'stint'

const mail = defineJob('mail', {
  run: (ctx: JobContext<{ to: string; subject: string }>) => `${ctx.params.subject} to ${ctx.params.to}`,
})

const stint = await createStint({ url: 'sqlite::memory:' })
const worker = stint.worker({ jobs: [mail] })
await worker.start()

// Every job at /mails or below it is tried six times, unless it says otherwise itself.
await stint.defaults.set('/mails', { retry: { maxAttempts: 6 } })
await stint.templates.create({
  path: '/mails/welcome',
  job: mail,
  description: 'What a new customer gets',
  params: { subject: 'Welcome' },
  schema: { type: 'object', properties: { to: { type: 'string', format: 'email' } }, required: ['to'] },
  limits: [{ key: 'smtp', rate: '100/min' }],
})

const job = await stint.templates.submit('/mails/welcome', { to: 'ada@example.com' })
console.log('sent:', await job.result())

await stint.templates.submit('/mails/welcome', { to: 'not an address' }).catch((error: Error) => {
  console.log('refused:', error.message)
})

// A change holds for new jobs. Those that were made before are snapshots, and every change is in the log.
await stint.templates.update('/mails/welcome', { params: { subject: 'Hello' } })
const next = await stint.templates.submit('/mails/welcome', { to: 'grace@example.com' })
console.log('sent:', await next.result(), '| sent before:', await job.result())

await stint.templates.archive('/mails/welcome')
await stint.templates.submit(next.templateId ?? '', { to: 'x@example.com' }).catch((error: Error) => {
  console.log('refused:', error.message)
})
await stint.close()
