/**
 * `npm run bench:stream [-- jobs rounds url]`: how much longer the same jobs take while a thousand clients listen, each to one of
 * them. The clients are a process of their own. Rounds without and with them take turns, and their medians are compared.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../src/http/index.ts'
import { createStint, defineJob } from '../src/index.ts'

const listenerCount = 1_000
/** Each of its job: created before, so started and completed. */
const eventsEach = 2

interface ToListen {
  readonly url: string
  readonly ids: readonly string[]
}

if (process.send === undefined) await compare()
else process.once('message', (asked: ToListen) => void listen(asked))

async function compare(): Promise<void> {
  const [jobs = 60_000, rounds = 5] = process.argv.slice(2, 4).map(Number)
  const directory = mkdtempSync(join(tmpdir(), 'stint-bench-'))
  const times: Record<'without' | 'with', Taken[]> = { without: [], with: [] }
  await drain(directory, 2_000, 0)
  for (let round = 0; round < rounds; round++) {
    times.without.push(await drain(directory, jobs, 0))
    times.with.push(await drain(directory, jobs, listenerCount))
  }
  rmSync(directory, { recursive: true, force: true })
  for (const [what, of] of [
    ['time', ({ ms }: Taken) => ms],
    ['CPU of the server', ({ cpuMs }: Taken) => cpuMs],
  ] as const) {
    const [without, with_] = [median(times.without.map(of)), median(times.with.map(of))]
    const cost = Math.round((with_ / without - 1) * 100)
    const both = `${Math.round(without)} ms, with ${listenerCount} listeners ${Math.round(with_)} ms`
    process.stdout.write(`${jobs} jobs, ${what}: ${both}: ${cost} % more\n`)
  }
}

/** What a drain took: by the clock, and of the cores, which is the same on a machine that others keep busy. */
interface Taken {
  readonly ms: number
  readonly cpuMs: number
}

/** How long it takes to run so many jobs that are there, while so many listen to one of them each. */
async function drain(directory: string, jobs: number, listeners: number): Promise<Taken> {
  const url = process.argv[4] ?? `sqlite:${join(directory, `${Math.random()}.db`)}`
  const stint = await createStint({ url, namespace: `b${Math.round(Math.random() * 1e9)}` })
  const server = await startServer({ stint, port: 0 })
  const job = defineJob('bench', { run: () => 1 })
  const made = await stint.submitMany(Array.from({ length: jobs }, () => ({ job })))
  const ids = made.flatMap((result) => (result.status === 'fulfilled' ? result.value.id : []))
  const clients = listeners === 0 ? null : await startClients({ url: server.url, ids: ids.slice(-listeners) })
  const worker = stint.worker({ jobs: [job], concurrency: 100 })
  const [start, used] = [performance.now(), process.cpuUsage()]
  await worker.start()
  // The last in the queue is the last to end, or nearly.
  await Promise.all(ids.slice(-200).map((id) => stint.jobs.result(id)))
  const [ms, { user, system }] = [performance.now() - start, process.cpuUsage(used)]
  if (clients !== null) await once(clients, 'exit')
  await worker.stop()
  await server.close()
  await stint.close()
  return { ms, cpuMs: (user + system) / 1_000 }
}

async function startClients(asked: ToListen): Promise<ChildProcess> {
  const child = fork(import.meta.filename, { execArgv: process.execArgv })
  child.send(asked)
  await once(child, 'message')
  return child
}

/** Says when all listen, and ends when all have heard of the end of their job. */
async function listen({ url, ids }: ToListen): Promise<void> {
  let left = ids.length * eventsEach
  const open = ids.map((id) => {
    return new Promise<void>((resolve) => {
      get(`${url}/v1/stream?job=${encodeURIComponent(id)}`, { agent: false }, (response) => {
        response.setEncoding('utf8')
        response.on('data', (text: string) => {
          resolve()
          left -= text.split('\ndata: ').length - 1
          if (left === 0) process.exit()
        })
      })
    })
  })
  await Promise.all(open)
  process.send?.('listening')
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
