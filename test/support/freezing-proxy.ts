import { once } from 'node:events'
import { createServer, connect as dial, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface FreezingProxy {
  /** The database, by way of the proxy. */
  readonly url: string
  /** From now on connections freeze on which a client says this text. Resolves when the first has. */
  freezeAt(text: string): Promise<void>
}

/**
 * Stands before a server like a network. On a connection that is frozen nothing arrives at the server any more, and it is
 * not told that the client is gone.
 */
export async function freezingProxy(url: string): Promise<FreezingProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const frozen = Promise.withResolvers<void>()
  let text: string | null = null
  const proxy = createServer((client) => {
    const server = dial(Number(target.port), target.hostname)
    let isFrozen = false
    client.on('data', (data) => {
      isFrozen ||= text !== null && data.includes(text)
      if (isFrozen) frozen.resolve()
      else server.write(data)
    })
    server.on('data', (data) => client.write(data))
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {}).on('close', () => (isFrozen && one === client ? undefined : other.destroy()))
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.close()
    for (const socket of sockets) socket.destroy()
  })
  const address = proxy.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.')
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String(address.port)
  return {
    url: through.href,
    freezeAt: (given) => {
      text = given
      return frozen.promise
    },
  }
}
