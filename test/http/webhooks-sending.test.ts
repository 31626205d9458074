import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isPublic } from '../../src/http/webhooks/address.ts'
import { type SendOptions, send } from '../../src/http/webhooks/send.ts'
import { type Address, type TargetPolicy, targetOf } from '../../src/http/webhooks/target.ts'
import { setupHttp } from '../support/http.ts'
import { type Behaviour, startReceiver } from '../support/receiver.ts'

const here: SendOptions = { allowPrivate: true, allowHttp: true }
const never = new AbortController().signal

function sendTo(url: string, options: SendOptions = here) {
  return send({ url, headers: {}, body: '{}', signal: never }, options)
}

async function sendToOne(behave: Behaviour, options: SendOptions = {}) {
  const { url } = await startReceiver(behave)
  return await sendTo(url, { ...here, ...options })
}

const noAnswer = /^There was no answer within \d+ ms\.$/

describe('what is sent to a bad receiver', () => {
  it('ends in time when there is no answer', async () => {
    await expect(sendToOne(() => {}, { deadlineMs: 50 })).rejects.toThrow(noAnswer)
  })

  it('ends in time when headers come a byte at a time', async () => {
    const drip = async (socket: Socket) => {
      for (const byte of `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(10_000)}`) {
        socket.write(byte)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const url = await rawReceiver((socket) => void drip(socket))
    await expect(sendTo(url, { ...here, deadlineMs: 60 })).rejects.toThrow(noAnswer)
  })

  it('ends in time when the host is not found', async () => {
    const resolve = () => new Promise<never>(() => {})
    await expect(sendTo('https://example.com/', { resolve, deadlineMs: 20 })).rejects.toThrow(noAnswer)
  })

  it('is answered though the body comes a byte at a time: the status is known', async () => {
    const answer = await sendToOne(
      (response) => {
        const timer = setInterval(() => response.write('x'), 5)
        response.on('close', () => clearInterval(timer))
      },
      { deadlineMs: 100 },
    )
    expect(answer).toMatchObject({ status: 200, excerpt: expect.stringMatching(/^x*$/) })
  })

  it('does not read a body that has no end', async () => {
    let written = 0
    const answer = await sendToOne((response) => {
      const more = () => {
        while (!response.destroyed && response.write('y'.repeat(65_536))) written += 65_536
      }
      response.on('drain', more)
      more()
    })
    expect([answer.status, answer.excerpt]).toEqual([200, 'y'.repeat(300)])
    // What the sockets of both sides hold, and no more.
    expect(written).toBeLessThan(64 * 1_048_576)
  })

  it('does not unpack what is packed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000))
    const answer = await sendToOne((response, _, request) => {
      expect(request.headers['accept-encoding']).toBe('identity')
      response.writeHead(500, { 'content-encoding': 'gzip' }).end(bomb)
    })
    expect([answer.status, answer.excerpt.length < 301]).toEqual([500, true])
  })

  it('does not follow a redirect', async () => {
    const other = await startReceiver()
    const answer = await sendToOne((response) => void response.writeHead(307, { location: other.url }).end())
    expect([answer.status, other.received]).toEqual([307, []])
  })

  it.each<[string, (socket: Socket) => void]>([
    ['is reset', (socket) => socket.resetAndDestroy()],
    ['is closed', (socket) => socket.end()],
    ['speaks no HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')],
    ['wants another protocol', (socket) => socket.end('HTTP/1.1 101 x\r\nupgrade: ws\r\nconnection: upgrade\r\n\r\n')],
    ['has endless headers', (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`)],
  ])('fails when the connection %s', async (_, behave) => {
    const url = await rawReceiver(behave)
    await expect(sendTo(url, { ...here, deadlineMs: 5_000 })).rejects.not.toThrow(noAnswer)
  })

  it('is answered by a body that breaks off', async () => {
    const url = await rawReceiver((socket) => socket.end('HTTP/1.1 503 x\r\ncontent-length: 100\r\n\r\nshort'))
    expect(await sendTo(url)).toMatchObject({ status: 503, excerpt: 'short' })
  })

  it('stops when it is told to', async () => {
    const { url, count } = await startReceiver(() => {})
    const stop = new AbortController()
    const sending = send({ url, headers: {}, body: '{}', signal: stop.signal }, here)
    await count(1)
    stop.abort(new Error('stopped'))
    await expect(sending).rejects.toThrow()
  })
})

/** Addresses as hosts of URLs are written, in every spelling that leads to this machine or a private network. */
const privateHosts = [
  ...['127.0.0.1', '127.1', '0', '0x7f.1', '2130706433', '0177.0.0.1', '127。0。0。1', '[::1]', '[::]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:169.254.169.254]', '[::169.254.169.254]'],
  ...['[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::1]', '[2002:a9fe:a9fe::]', '[2001::1]', '[2001:0:1::]', '[fe80::1]'],
  ...['[fec0::1]', '[fd00::1]', '[fc00::]', '[ff02::1]', '[100::1]', '[2001:db8::1]', '169.254.169.254', '10.1.2.3'],
  ...['169.254.170.2', '100.64.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '192.0.0.192', '198.18.0.1'],
  ...['198.19.255.255', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', '192.0.2.1', '203.0.113.9'],
]

/** Names, and what a resolver says of them. */
const zone: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  '7f000001.nip.io': ['127.0.0.1'],
  'mixed.example.com': ['93.184.216.34', '10.0.0.1'],
  'mixed6.example.com': ['93.184.216.34', 'fe80::1%eth0'],
  'mapped.example.com': ['::ffff:10.0.0.1'],
  'public.example.com': ['93.184.216.34', '2606:2800:220:1::1', '64:ff9b::5db8:d822'],
}

const resolve = (host: string): Promise<readonly Address[]> => {
  const known = zone[host]
  if (known === undefined) return Promise.reject(new Error('ENOTFOUND'))
  return Promise.resolve(known.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
}

const strict: TargetPolicy = { resolve, allowHttp: true }

const privateNames = Object.keys(zone).filter((name) => name !== 'public.example.com')

const badUrls = [
  ...[...privateHosts, ...privateNames, 'ⓛocalhost', 'unknown.example.com'].map((host) => `https://${host}/`),
  ...['https://user@public.example.com/', 'https://user:secret@public.example.com/'],
  ...['5432', '6379', '22', '25', '8000'].map((port) => `https://public.example.com:${port}/`),
  ...['ftp://public.example.com/', 'file:///etc/passwd', 'public.example.com', ''],
]

describe('where messages may not go', () => {
  it.each(badUrls)('%s is refused, with a rule', async (url) => {
    await expect(targetOf(url, strict)).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { field: 'url', rule: expect.any(String) },
    })
    // At each attempt, not only when the webhook is made.
    await expect(sendTo(url, strict)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  it.each(['https://public.example.com/', 'https://public.example.com:8443/x?y=z', 'http://93.184.216.34/'])(
    '%s is not refused',
    async (url) => {
      expect((await targetOf(url, strict)).url.href).toBe(url)
    },
  )

  it('is without TLS unless that is allowed', async () => {
    await expect(targetOf('http://public.example.com/', { resolve })).rejects.toThrow(/must be a URL of https;/)
  })

  it('is on other ports than those that are named', async () => {
    const ports = [9_000]
    await expect(targetOf('https://public.example.com/', { resolve, ports })).rejects.toThrow(/ports 9000/)
    expect((await targetOf('https://public.example.com:9000/', { resolve, ports })).addresses).toHaveLength(3)
  })

  it('is no address at all', () => {
    for (const text of ['', 'x', '1.2.3', '::1%lo', '2606::1%eth0', ':::', '1.2.3.4.5'])
      expect(isPublic(text)).toBe(false)
  })

  it('is where a host has moved since: it is looked up once for each attempt, and connected to as it was checked', async () => {
    const asked: string[] = []
    const { url, received } = await startReceiver()
    const rebound = (host: string) => {
      asked.push(host)
      return Promise.resolve([{ address: asked.length === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }])
    }
    const port = Number(new URL(url).port)
    const options = { resolve: rebound, allowHttp: true, ports: [port] }
    const name = `http://rebinding.example.com:${port}/`
    await targetOf(name, options)
    await expect(sendTo(name, options)).rejects.toMatchObject({ code: 'invalid_argument' })
    expect([asked.length, received]).toEqual([2, []])
    // The one who connects asks nobody else, and tells the receiver the name that it was given.
    expect(await sendTo(name, { ...options, allowPrivate: true })).toMatchObject({ status: 200 })
    expect([asked.length, received[0]?.headers['host']]).toEqual([3, `rebinding.example.com:${port}`])
  })

  it('is refused when a webhook is made or changed, with the field and the rule', async () => {
    const { ask } = await setupHttp({ webhooks: { resolve } })
    for (const url of badUrls.slice(0, 3)) {
      const { status, json } = await ask('POST', '/v1/webhooks', { body: { url } })
      expect([status, json.code, json.field]).toEqual([400, 'invalid_argument', 'url'])
      expect(json.rule).toBe('must lead to addresses of the public internet alone')
    }
    const made = await ask('POST', '/v1/webhooks', { body: { url: 'https://public.example.com/' } })
    expect(made.status).toBe(201)
    const changed = await ask('PATCH', `/v1/webhooks/${made.json.id}`, { body: { url: 'https://localhost/' } })
    expect([changed.status, changed.json.field]).toEqual([400, 'url'])
  })
})

/** Somebody who answers before anything was asked, with bytes. */
async function rawReceiver(behave: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => behave(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}
