/** Sends the same request again and again on so many connections, and does so little else that the server is the slow one. */
import { connect, type Socket } from 'node:net'

export interface Load {
  readonly port: number
  readonly connections: number
  readonly requests: number
  readonly path: string
  readonly body: string
}

export interface Loaded {
  readonly ms: number
  readonly latenciesMs: readonly number[]
}

/** Each connection sends its next request when the answer to the one before is there. */
export async function load({ port, connections, requests, path, body }: Load): Promise<Loaded> {
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
  const request = Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  const sockets = await Promise.all(Array.from({ length: connections }, () => opened(port)))
  const latenciesMs: number[] = []
  let left = requests
  const begin = performance.now()
  await Promise.all(
    sockets.map((socket) => {
      return new Promise<void>((resolve, reject) => {
        let sent = 0
        const next = () => {
          if (left === 0) return resolve()
          left -= 1
          sent = performance.now()
          socket.write(request)
        }
        socket.once('error', reject)
        onAnswers(socket, (status) => {
          if (status !== 201 && status !== 200) return reject(new Error(`${path} was answered with ${status}.`))
          latenciesMs.push(performance.now() - sent)
          next()
        })
        next()
      })
    }),
  )
  const ms = performance.now() - begin
  for (const socket of sockets) socket.destroy()
  return { ms, latenciesMs }
}

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/**
 * Tells the status of each answer, once all of it is there. Every answer that is measured says how long it is. No promise and no
 * iterator for each: the client takes its time from the same cores as the server.
 */
function onAnswers(socket: Socket, tell: (status: number) => void): void {
  let start: Buffer | null = null
  let [size, wanted] = [0, 0]
  socket.on('data', (chunk: Buffer) => {
    size += chunk.byteLength
    if (wanted === 0) {
      start = start === null ? chunk : Buffer.concat([start, chunk])
      wanted = sizeOf(start)
    }
    if (start === null || wanted === 0 || size < wanted) return
    const status = Number(start.toString('latin1', 9, 12))
    ;[start, size, wanted] = [null, 0, 0]
    tell(status)
  })
}

/** The length of an answer with its head; 0 as long as its head is not there. */
function sizeOf(start: Buffer): number {
  const end = start.indexOf('\r\n\r\n')
  if (end === -1) return 0
  const length = /\r\ncontent-length: (\d+)/i.exec(start.toString('latin1', 0, end))?.[1]
  if (length === undefined) throw new Error('An answer does not say how long it is.')
  return end + 4 + Number(length)
}
