/** A server with example jobs of every kind. `npm start` runs it: open the dashboard, and use the rest with curl. */
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createStint, type Stint } from 'stint'
import { commandJob, type Server, startServer } from 'stint/server'
import { keepBusy, populate } from './demo/populate.ts'
import { shopJobs } from './demo/shop.ts'
import { addUp, charge, deliver, flaky, greet, hopeless, join, report, telephone, welcome } from './jobs.ts'

const { port: asked } = parseArgs({ options: { port: { type: 'string' } } }).values
const wanted = portOf(asked ?? process.env['STINT_PORT'])

mkdirSync('.stint', { recursive: true })
const url = process.env['STINT_URL'] ?? 'sqlite:.stint/demo.db'
const stint = await createStint({ url })
const server = await serve(stint, wanted)
const own = [greet, flaky, hopeless, charge, deliver, report, telephone, addUp, join, welcome]
const jobs = [...own, ...shopJobs, commandJob({ apiUrl: server.url })]
const worker = stint.worker({ jobs, name: 'demo', concurrency: 20 })
await worker.start()
await populate(stint)
await keepBusy(stint)

console.log(`
  Stint is ready.

  Dashboard  ${server.url}
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
  await worker.stop({ graceMs: 3_000 })
  await stint.close()
  console.log('  Stopped.')
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^\d{1,5}$/.test(text) && Number(text) < 65_536 ? Number(text) : fail(`${text} is no port.`)
}

/** At the port that was asked for; without one at 4600, or the next that is free. */
async function serve(stint: Stint, wanted: number | undefined): Promise<Server> {
  for (let port = wanted ?? 4_600; ; port++) {
    try {
      return await startServer({ stint, port, commands: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      if (wanted !== undefined || port > 4_620)
        return fail(`Port ${port} is taken. Choose another, with --port or STINT_PORT.`)
      console.log(`  Port ${port} is taken, so the next one is tried.`)
    }
  }
}

function fail(message: string): never {
  console.error(`  ${message}`)
  process.exit(1)
}
