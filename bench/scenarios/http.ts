/** A process that is asked over HTTP, or that does the same without it. */
import { serve as serveHttp } from '@hono/node-server'
import { Hono } from 'hono'
import { createStint } from '../harness/built-stint.ts'
import { serve } from '../harness/serve.ts'
import { params } from '../harness/system.ts'

/** As they are published, with the types of the sources. */
const built = (path: string) => import(new URL(`../../dist/${path}.js`, import.meta.url).href)
const { startServer } = (await built('http/index')) as typeof import('../../src/http/index.ts')
const { newJob } = (await built('http/schemas/jobs')) as typeof import('../../src/http/schemas/jobs.ts')

/** What every job of these measurements is. */
export function newJobOf(n: number) {
  return { type: 'bench', params: params(n) }
}

/** Stint behind its server, with default settings. */
async function stintCommands(url: string) {
  const stint = await createStint({ url })
  const server = await startServer({ stint, port: 0 })
  return {
    port: () => server.port,
    /** What the library takes for the same jobs, in milliseconds. */
    async submit(batches: number, size: number): Promise<number> {
      const begin = performance.now()
      for (let i = 0; i < batches; i++) {
        const made = await stint.submitMany(
          Array.from({ length: size }, (_, n) => ({ job: 'bench', params: params(n) })),
        )
        if (made.some(({ status }) => status === 'rejected')) throw new Error('A job was refused.')
      }
      return performance.now() - begin
    },
    async close(): Promise<void> {
      await server.close()
      await stint.close()
    },
  }
}

/** What it takes to read and check the same body, and nothing else: the most that any server made of these parts can do. */
async function bareCommands(): Promise<StintCommands> {
  const app = new Hono()
  app.post('/v1/jobs', async (c) => {
    const body = newJob.parse(await c.req.json())
    return c.json({ id: 'stint::default:00000000-0000-7000-8000-000000000000', ...body }, 201)
  })
  const port = await new Promise<number>((resolve) => {
    serveHttp({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (address) => resolve(address.port))
  })
  return {
    port: () => port,
    submit: () => Promise.reject(new Error('There is nothing to submit to.')),
    close: () => Promise.resolve(),
  }
}

type StintCommands = Awaited<ReturnType<typeof stintCommands>>
export type HttpCommands = StintCommands

if (import.meta.main) {
  const [kind, url = ''] = process.argv.slice(2)
  serve(kind === 'bare' ? await bareCommands() : await stintCommands(url))
}
