/** A server with example jobs of every kind. `npm start` runs it: see what is printed, and use it with curl. */
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createStint, type Stint } from 'stint'
import { commandJob, type Server, startServer } from 'stint/server'
import { addUp, charge, deliver, flaky, greet, hopeless, join, report, telephone, welcome } from './jobs.ts'

const { port: asked } = parseArgs({ options: { port: { type: 'string' } } }).values
const wanted = asked ?? process.env['STINT_PORT']

mkdirSync('.stint', { recursive: true })
const url = process.env['STINT_URL'] ?? 'sqlite:.stint/demo.db'
const stint = await createStint({ url })
const server = await serve(stint, wanted)
const own = [greet, flaky, hopeless, charge, deliver, report, telephone, addUp, join, welcome]
const jobs = [...own, commandJob({ apiUrl: server.url })]
const worker = stint.worker({ jobs, name: 'demo', concurrency: 20 })
await worker.start()
await populate(stint)

console.log(`
  Stint is ready.

  API        ${server.url}/v1/jobs
  Reference  ${server.url}/reference
  Data       ${url}
  Handlers   ${jobs.map(({ type }) => type).join(', ')}

  Your first job:

    curl -s ${server.url}/v1/jobs -H 'content-type: application/json' \\
      -d '{"type":"greet","name":"/mine/first","params":{"who":"you"}}'

  and what became of it:

    curl -s '${server.url}/v1/jobs?name=/mine/first'

  Ctrl-C stops: what runs may finish, and everything is there at the next start.
`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())

async function stop(): Promise<void> {
  console.log('  Stopping: what runs may finish …')
  await server.close()
  await stint.close()
  console.log('  Stopped.')
}

/** At the port that was asked for; without one at 4600, or the next that is free. */
async function serve(stint: Stint, wanted: string | undefined): Promise<Server> {
  if (wanted !== undefined) return await startServer({ stint, port: Number(wanted), commands: true })
  for (let port = 4_600; ; port++) {
    try {
      return await startServer({ stint, port, commands: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port > 4_620) throw error
      console.log(`  Port ${port} is taken, so the next one is tried.`)
    }
  }
}

/** Some of everything. What is there from the last time stays. */
async function populate(stint: Stint): Promise<void> {
  const keep = { onConflict: 'keep' } as const
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
  await stint.limits.set('/demo/greetings', { concurrency: 2, rate: '100/min' })
  if ((await stint.templates.get('/demo/greeting')) !== null) return
  await stint.templates.create({ path: '/demo/greeting', job: greet, params: { who: 'everybody' } })
  await stint.schedules.create({ path: '/demo/every-minute', template: '/demo/greeting', cron: '* * * * *' })
  const mornings = { cron: '30 8 * * 1-5', timezone: 'Europe/Berlin' }
  await stint.schedules.create({ path: '/demo/mornings', template: '/demo/greeting', ...mornings })
  const guests = ['Barbara', 'Edsger', 'Leslie'].map((who) => ({ job: greet, params: { who } }))
  await stint.groups.run({ path: '/demo/guests', mode: 'sequential', jobs: guests })
}
