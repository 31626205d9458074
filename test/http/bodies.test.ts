import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { jsonLimits } from '../../src/core/json.ts'
import { checked } from '../../src/http/check.ts'
import { bodyMax } from '../../src/http/read-body.ts'
import { newId } from '../support/fixture.ts'
import { type Asked, type HttpFixture, type Reply, setupHttp } from '../support/http.ts'
import { strangeTexts } from '../support/zoo.ts'
import { askOnce, minimal, operations, pathOf, samplesIn, withText } from './surface.ts'

const path = '/v1/jobs'

/** A refusal as everybody may read it: what is wrong, where, and nothing of the inside. */
function expectProblem(reply: Reply, about: string): void {
  expect(reply.status, `${about}: ${reply.text.slice(0, 300)}`).toBeGreaterThanOrEqual(400)
  expect(reply.status, `${about}: ${reply.text.slice(0, 300)}`).toBeLessThan(500)
  expect(reply.headers.get('content-type'), about).toBe('application/problem+json')
  expect(reply.json, about).toMatchObject({
    status: reply.status,
    code: expect.any(String),
    detail: expect.any(String),
  })
  expect(reply.text, about).not.toMatch(
    /\bat .+:\d+:\d+|node_modules|\.ts\b|\b(select|insert|update) .+ (from|into|set)\b/i,
  )
  expect(reply.text.length, about).toBeLessThan(4_000)
}

const encoded = (text: string) => new TextEncoder().encode(text)

/** What is sent, the code that it is refused with, and the rule. */
const malformed: Readonly<Record<string, readonly [string | Uint8Array, string, RegExp]>> = {
  nothing: ['', 'malformed_body', /one JSON document/],
  'a word': ['hello', 'malformed_body', /one JSON document/],
  'a trailing comma': ['{"type":"x",}', 'malformed_body', /one JSON document/],
  'two documents': ['{"type":"x"}{"type":"x"}', 'malformed_body', /one JSON document/],
  'two lines': ['{"type":"x"}\n{"type":"x"}', 'malformed_body', /one JSON document/],
  'half a document': ['{"type":"x"', 'malformed_body', /one JSON document/],
  'a byte order mark': ['\ufeff{"type":"x"}', 'malformed_body', /one JSON document/],
  'a NUL behind it': ['{"type":"x"}\0', 'malformed_body', /one JSON document/],
  'a number of JavaScript': ['{"type":"x","priority":NaN}', 'malformed_body', /one JSON document/],
  'bytes that are no UTF-8': [new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 'malformed_body', /UTF-8/],
  'UTF-8 that is cut': [encoded('{"type":"é"}').slice(0, 10), 'malformed_body', /UTF-8/],
  'half a character in UTF-8': [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), 'malformed_body', /UTF-8/],
  'UTF-16': [new Uint8Array(Buffer.from('{"type":"x"}', 'utf16le')), 'malformed_body', /JSON/],
  null: ['null', 'invalid_argument', /object/],
  'a list': ['[]', 'invalid_argument', /object/],
  'a text': ['"x"', 'invalid_argument', /object/],
  'a number that is none': ['{"type":"x","priority":1e400}', 'invalid_argument', /number|int/],
  'a number in params that is none': ['{"type":"x","params":{"n":1e400}}', 'invalid_json', /finite/],
}

/** What is no JSON, and the first character at which that is certain. */
const broken: readonly (readonly [string, number])[] = [
  ['', 0],
  ['hello', 0],
  ['{"type":"x",}', 12],
  ['{"type":"x"}{"type":"x"}', 12],
  ['{"type":"x"', 11],
  ['\ufeff{"type":"x"}', 0],
  ['{"type":"x"} \0', 13],
  ['{"type":"x","priority":NaN}', 23],
  ['{"type":"x","priority":01}', 23],
  ['{"type":"x","params":[1, 2 3]}', 27],
  ['{"type":"x","params":["a\\x"]}', 24],
  ['{"type":"x","params":["\\u12g4"]}', 23],
  ['{"type":"a\nb"}', 10],
  ['{"type":"x', 10],
  ['{"type" "x"}', 8],
  ['{type:"x"}', 1],
  ['{"a":[true,{"b":-1.5e+3}],"c":nul}', 30],
]

describe('a body', () => {
  it('that is no JSON, or not what is asked for, is refused with what is wrong', async () => {
    const { ask, stint } = await setupHttp()
    for (const [what, [raw, code, rule]] of Object.entries(malformed)) {
      const reply = await ask('POST', path, { raw })
      expectProblem(reply, what)
      expect([reply.json.code, reply.json.field, reply.json.rule], what).toEqual([
        ...[code, expect.any(String), expect.stringMatching(rule)],
      ])
    }
    for (const [raw, offset] of broken) {
      expect([raw, (await ask('POST', path, { raw })).json.offset]).toEqual([raw, offset])
    }
    expect((await stint.jobs.list()).items).toEqual([])
  })

  it('of another media type is not taken', async () => {
    const { ask } = await setupHttp()
    const raw = '{"type":"x"}'
    const others = [
      '',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonx',
      'x',
    ]
    for (const type of others) {
      const reply = await ask('POST', path, { raw, headers: { 'content-type': type } })
      expectProblem(reply, type)
      expect([reply.status, reply.json.code, reply.json.field]).toEqual([415, 'unsupported_media_type', 'content-type'])
    }
    const own = [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/cloudevents+json',
    ]
    for (const type of own) {
      expect((await ask('POST', path, { raw, headers: { 'content-type': type } })).status, type).toBe(201)
    }
  })

  it.each([111, 5_000, 1_000_000])('%d levels deep is refused before anything recurses', async (depth) => {
    const { ask } = await setupHttp()
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const raw = `{"type":"x","params":${open.repeat(depth)}1${close.repeat(depth)}}`
      const reply = await ask('POST', path, { raw })
      expectProblem(reply, open)
      expect([reply.json.code, reply.json.rule]).toEqual(['malformed_body', expect.stringMatching(/deeper/)])
    }
  })

  it('is taken up to the depth that is kept, and brackets in texts do not count', async () => {
    const { ask } = await setupHttp()
    const of = (depth: number) => `{"type":"x","params":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect((await ask('POST', path, { raw: of(jsonLimits.depth - 1) })).status).toBe(201)
    const over = await ask('POST', path, { raw: of(jsonLimits.depth + 2) })
    expectProblem(over, 'more')
    expect(over.json.code).toBe('invalid_json')
    const text = JSON.stringify({ type: 'x', params: `\\"${'['.repeat(5_000)}` })
    expect((await ask('POST', path, { raw: text })).status).toBe(201)
  })

  it('cannot change what objects of the language are, and keys of the language are data', async () => {
    const { ask } = await setupHttp()
    const params = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}'
    const made = await ask('POST', path, { raw: `{"type":"x","params":${params},"labels":{"constructor":"a"}}` })
    expect(made.status).toBe(201)
    const kept = await ask('GET', `${path}/${made.json.id}`)
    expect(JSON.stringify(kept.json.params)).toBe(params)
    expect(kept.json.labels).toEqual({ constructor: 'a' })
    for (const raw of [
      '{"type":"x","__proto__":{"polluted":1}}',
      '{"type":"x","labels":{"__proto__":"a"}}',
      '{"type":"x","constructor":{"prototype":{"polluted":1}}}',
      '{"type":"x","retry":{"__proto__":{"maxAttempts":3}}}',
    ]) {
      expectProblem(await ask('POST', path, { raw }), raw)
    }
    for (const query of ['__proto__=1', 'constructor=1', '__proto__[polluted]=1', 'toString=x']) {
      expectProblem(await ask('GET', `${path}?${query}`), query)
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('says no more than is asked for: what is not known is refused', async () => {
    const { ask } = await setupHttp()
    const fields = [
      'id',
      'namespace',
      'state',
      'status',
      'attempt',
      'createdAt',
      'scheduleId',
      'templateId',
      'submittedBy',
    ]
    for (const field of [...fields, 'x'.repeat(100_000), '\0', '\ud800']) {
      const reply = await ask('POST', path, { body: { type: 'x', [field]: 'y' } })
      expectProblem(reply, field.slice(0, 20))
      expect([reply.json.code, reply.json.rule]).toEqual(['invalid_argument', 'is not a field that is known here'])
    }
  })

  it('with a million wrong entries is refused at the first', async () => {
    const { ask } = await setupHttp()
    const many = (n: number, make: (i: number) => string) => Array.from({ length: n }, (_, i) => make(i)).join(',')
    const bodies = {
      labels: `{"type":"x","labels":{${many(200_000, (i) => `"${i}":1`)}}}`,
      fields: `{"type":"x",${many(200_000, (i) => `"${i}":1`)}}`,
      events: `{"type":"x","awaits":{"events":[${many(400_000, () => '1')}]}}`,
      batch: `{"jobs":[${many(400_000, () => '1')}]}`,
      after: `{"type":"x","after":[${many(400_000, () => '1')}]}`,
    }
    for (const [what, raw] of Object.entries(bodies)) {
      expectProblem(await ask('POST', what === 'batch' ? `${path}/batch` : path, { raw }), what)
    }
    const last = {
      type: 'x',
      labels: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`l${i}`, i < 49 ? 'x' : 1])),
    }
    const reply = await ask('POST', path, { body: last })
    expect([reply.json.field, reply.json.rule]).toEqual(['labels.l49', 'must be string'])
    const batch = await ask('POST', `${path}/batch`, {
      body: { jobs: Array.from({ length: 50 }, (_, i) => ({ type: i < 49 ? 'x' : 7 })) },
    })
    const { problem } = batch.json.results[49]
    expect([problem.field, problem.rule]).toEqual(['type', 'must be string'])
  })
})

it('of far too many entries not one is looked at', () => {
  let looked = 0
  const entry = z.unknown().transform(() => {
    looked += 1
  })
  const schema = z.strictObject({ jobs: z.array(entry).max(100).optional() })
  expect(() => checked(schema, { jobs: new Array(101).fill(1) })).toThrow('jobs must be at most 100 items long.')
  expect(looked).toBe(0)
  expect(() => checked(schema, { jobs: new Array(100).fill(1) })).not.toThrow()
})

describe('a text', () => {
  /** Every place of every body and query at which a text may stand. */
  async function everywhere(http: HttpFixture, text: string, check: (reply: Reply, about: string) => void) {
    const samples = await samplesIn(http.stint, `n${newId()}`)
    for (const operation of operations) {
      const at = pathOf(operation, samples)
      const base = operation.body === null ? {} : { body: minimal(operation.body) }
      const ask = async (about: string, path: string, asked: Asked) => {
        check(await askOnce(http.server.url, operation.method, path, asked), `${operation.id}${about}`)
      }
      const bodies = operation.body === null ? [] : [...withText(operation.body, text)]
      const inPath = text.toWellFormed()
      await Promise.all([
        ...bodies.map(([place, body]) => ask(place, at, { body })),
        // In an address there is no half a character.
        ...(inPath !== text ? [] : Object.keys(operation.query)).map((name) =>
          ask(`?${name}`, `${at}?${name}=${encodeURIComponent(inPath)}`, base),
        ),
        ...(inPath !== text ? [] : operation.params).map((name) =>
          ask(`/${name}`, pathOf(operation, samples, { [name]: inPath }), base),
        ),
      ])
    }
  }

  it.each([
    ['NUL', 'a\0b'],
    ['half a character', 'a\ud800b'],
  ])('with %s is refused, wherever it stands', async (_, text) => {
    const http = await setupHttp()
    await everywhere(http, text, (reply, about) => {
      const results: readonly { problem?: unknown }[] = reply.json?.results ?? []
      if (results.length > 0) expect(results[0]?.problem, about).toBeDefined()
      // What only looks for it may as well say that there is nothing.
      else if (reply.status === 200) expect(reply.json?.items, `${about}: ${reply.text.slice(0, 200)}`).toEqual([])
      else expectProblem(reply, about)
    })
    expect((await http.stint.verify()).differences).toEqual([])
  })

  it('that is SQL, or strange in any other way, is data, wherever it stands', async () => {
    const http = await setupHttp()
    const sql = "'; drop table jobs; -- $1 %_ \\' E'\\\\'"
    for (const text of [sql, '../../etc/passwd', 'x'.repeat(9_000), '\u202e\u200d🧑‍🚀']) {
      await everywhere(http, text, (reply, about) => {
        if (reply.status >= 400) expectProblem(reply, `${about}: ${text.slice(0, 20)}`)
      })
    }
    expect((await http.stint.verify()).differences).toEqual([])
  })

  it('is kept as it was sent', async () => {
    const { ask } = await setupHttp()
    const jobs = strangeTexts.map((text) => ({ type: 'x', params: { text, [text]: 1 }, labels: { l: text } }))
    const { json } = await ask('POST', `${path}/batch`, { body: { jobs } })
    const kept = json.results.map(({ job }: { job?: { params: unknown; labels: unknown } }) => [
      job?.params,
      job?.labels,
    ])
    expect(kept).toEqual(jobs.map(({ params, labels }) => [params, labels]))
  })
})

/** Sends bytes as they are, and gives what came back, and how much could be sent before the other side closed. */
async function sendRaw(
  port: number,
  head: string,
  chunk: Uint8Array,
  max: number,
): Promise<{ text: string; sent: number }> {
  const socket = connect(port, '127.0.0.1')
  let [text, sent, isOver] = ['', 0, false]
  const over = new Promise<void>((resolve) => {
    const end = () => {
      isOver = true
      resolve()
    }
    socket.on('close', end)
    socket.on('error', end)
  })
  socket.on('data', (data) => {
    text += data.toString('latin1')
  })
  socket.write(head)
  while (!isOver && sent < max) {
    const isTaken = socket.write(chunk)
    sent += chunk.byteLength
    if (!isTaken) await Promise.race([over, new Promise((resolve) => socket.once('drain', resolve))])
    await new Promise(setImmediate)
  }
  await over
  return { text, sent }
}

const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`

/** Whoever goes on sending is cut off after half a second, so that they can read the answer before; that is long before this. */
const sentMax = 1e10

describe('a body that is too large', () => {
  it('is refused by what it announces, before it is read', async () => {
    const { server } = await setupHttp()
    const { text, sent } = await sendRaw(
      server.port,
      `${head}content-length: ${1e12}\r\n\r\n`,
      new Uint8Array(65_536),
      sentMax,
    )
    expect(text).toMatch(/^HTTP\/1.1 413 /)
    expect(text).toContain('"code":"payload_too_large"')
    expect(sent).toBeLessThan(sentMax)
  })

  it('is refused while it comes in, and what comes after is not read', async () => {
    const { server, ask } = await setupHttp()
    // One chunk of the encoding that never ends.
    const endless = `${head}transfer-encoding: chunked\r\n\r\n${(1e12).toString(16)}\r\n`
    const { text, sent } = await sendRaw(server.port, endless, new Uint8Array(65_536).fill(32), sentMax)
    expect(text).toMatch(/^HTTP\/1.1 413 /)
    expect(sent).toBeLessThan(sentMax)
    expect((await ask('GET', '/healthz')).status).toBe(200)
  })

  it('is refused at the first byte over the limit, and taken up to it', async () => {
    const { ask } = await setupHttp()
    const of = (size: number) => `{"type":"x"}${' '.repeat(size - 12)}`
    expect((await ask('POST', path, { raw: of(bodyMax) })).status).toBe(201)
    const over = await ask('POST', path, { raw: of(bodyMax + 1) })
    expectProblem(over, 'one more')
    expect([over.status, over.json.code, over.json.field]).toEqual([413, 'payload_too_large', 'body'])
    const params = await ask('POST', path, { body: { type: 'x', params: 'x'.repeat(jsonLimits.bytes) } })
    expect([params.status, params.json.field]).toEqual([413, 'params'])
  })
})
