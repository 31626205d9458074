import type { Server as NodeServer, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { StintError } from '../core/errors.ts'
import type { Stint } from '../engine/stint.ts'
import type { Worker } from '../engine/worker/worker.ts'
import { systemPath } from '../store/system-path.ts'
import { isLoopback } from './access/guard.ts'
import type { GuestRules } from './access/guest-store.ts'
import { type App, type AppOptions, createApp } from './app.ts'
import { operationJob } from './operations/operation-job.ts'
import type { WebhookOptions } from './webhooks/webhooks.ts'

export interface ServerOptions extends Omit<AppOptions, 'isOpen' | 'webhooks'> {
  /** Default 127.0.0.1: only this machine reaches it, and needs no key. */
  readonly host?: string
  /** Default 4600; 0 for any that is free. */
  readonly port?: number
  /** Whether everybody needs a key. Default true unless only this machine reaches the server. */
  readonly requireKeys?: boolean
  /** Where webhooks may lead. False: this server makes and sends no messages, and leaves it to others. */
  readonly webhooks?: WebhookOptions | false
}

export interface Server {
  readonly url: string
  readonly port: number
  /** Whether whoever reaches it may do everything. */
  readonly isOpen: boolean
  readonly app: App
  /** Lets what is being answered end, then stops. Stint itself stays open. */
  close(): Promise<void>
}

/** How long a request may take to come in: whoever sends a byte now and then does not hold a place for ever. */
const [headersTimeout, requestTimeout] = [15_000, 60_000]
/** A connection on which nothing moves for so long is of nobody: no answer is held back longer, and streams say that they live. */
const idleMs = 120_000
/** How long a server that closes waits for those who read slowly. */
const closeMs = 10_000

/** Serves the API over HTTP. */
export async function startServer({
  host = '127.0.0.1',
  port = 4_600,
  requireKeys = !isLoopback(host),
  webhooks = {},
  ...options
}: ServerOptions): Promise<Server> {
  const isOpen = !requireKeys
  if (isOpen && !isLoopback(host)) {
    throw new StintError('invalid_argument', `Without keys only this machine may reach the server; host is ${host}.`, {
      field: 'requireKeys',
      rule: 'must be true unless host is a loopback address',
    })
  }
  const app = createApp({ ...options, isOpen, webhooks: webhooks === false ? {} : webhooks })
  if (!isOpen && (await app.keyring.isEmpty())) {
    throw new StintError(
      'unauthorized',
      `There is no key in force, so nobody could use a server on ${host}: make one first.`,
    )
  }
  const { server, address } = await listen(app, host, port)
  const answers = answersOf(server)
  const worker = systemWorker(options.stint, { commands: options.commands ?? false })
  await worker.start()
  if (webhooks !== false) await app.webhooks.start()
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    isOpen,
    app,
    close: async () => {
      await app.close()
      await closed(server, answers)
      await worker.stop()
    },
  }
}

/** What the server does in the background is done by jobs, too. */
function systemWorker(stint: Stint, rules: GuestRules): Worker {
  return stint.worker({
    name: 'server',
    jobs: [operationJob(stint, rules)],
    paths: [systemPath('operations')],
    concurrency: 4,
  })
}

function listen(app: App, hostname: string, port: number): Promise<{ server: NodeServer; address: AddressInfo }> {
  return new Promise((resolve, reject) => {
    const serverOptions = { headersTimeout, requestTimeout }
    const server = serve({ fetch: app.fetch, hostname, port, serverOptions }, (address) => {
      server.off('error', reject)
      resolve({ server, address })
    }) as NodeServer
    server.setTimeout(idleMs)
    server.once('error', reject)
  })
}

interface Answers {
  underWay: number
}

/**
 * How many answers are under way. They are counted and not kept in a set: a set through which so many pass leaves old tables behind, each
 * of which leads to the next and to what was in it, and the collector of garbage takes a good part of each request to see through that.
 */
function answersOf(server: NodeServer): Answers {
  const answers = { underWay: 0 }
  const leave = () => {
    answers.underWay -= 1
  }
  server.on('request', (_, answer: ServerResponse) => {
    answers.underWay += 1
    answer.on('close', leave)
  })
  return answers
}

async function closed(server: NodeServer, answers: Answers): Promise<void> {
  await new Promise<void>((resolve) => {
    // Connections are kept for a next request, and some are made for a first one: nothing of theirs is waited for.
    const until = performance.now() + closeMs
    const sweep = setInterval(() => {
      if (answers.underWay === 0 || performance.now() > until) server.closeAllConnections()
    }, 10)
    server.close(() => {
      clearInterval(sweep)
      resolve()
    })
  })
}
