import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { overriding } from '../../src/engine/observed-store.ts'
import { hashOf } from '../../src/http/access/keyring.ts'
import { jsonLines } from '../../src/http/log.ts'
import { newId } from '../support/fixture.ts'
import { setupHttp } from '../support/http.ts'
import { askOnce, minimal, missing, operations, pathOf, samplesIn } from './surface.ts'

it('a key stands in no answer, no event, no list and no line of the log, and neither does its hash', async () => {
  const lines: string[] = []
  let isBroken = false
  // A store that fails in a way nobody foresaw, so that something is written to the log.
  const wrap = (store: Parameters<typeof overriding>[0]) => {
    return overriding(store, {
      list: (request) => (isBroken ? Promise.reject(new TypeError('boom')) : store.list(request)),
    })
  }
  const http = await setupHttp({ requireKeys: true, log: jsonLines((line) => lines.push(line)) }, undefined, { wrap })
  const samples = await samplesIn(http.stint, 'a')
  const made = await http.key('admin', '/a')
  const secrets = [made, made.slice('stint_'.length), hashOf(made)]
  const seen: string[] = []
  for (const operation of operations) {
    for (const of of [samples, missing(samples, newId())]) {
      const body = operation.body === null ? {} : { body: minimal(operation.body) }
      const asked = { ...body, key: made, headers: { 'x-canary': made } }
      const { text, headers } = await askOnce(http.server.url, operation.method, pathOf(operation, of), asked)
      seen.push(text, JSON.stringify([...headers]))
    }
  }
  isBroken = true
  const failed = await http.ask('GET', '/v1/jobs', { key: made })
  // Also where somebody has put it into the address.
  const misplaced = await http.ask('GET', `/v1/jobs?key=${made}`, { key: made })
  expect([failed.status, failed.json.code, misplaced.status]).toEqual([500, 'internal_error', 500])
  expect(failed.text).not.toContain('boom')
  expect(lines.join('')).toContain('boom')
  isBroken = false
  const { store } = http
  seen.push(...lines, failed.text)
  seen.push(JSON.stringify((await store.events({ limit: 1_000 })).entries))
  seen.push(JSON.stringify((await store.control('key.list', { limit: 100, withReleased: true })).items))
  seen.push(JSON.stringify((await store.list({ limit: 100 })).jobs))
  for (const secret of secrets) expect(seen.filter((text) => text.includes(secret))).toEqual([])
})

it('whoever sends the head of a request a byte at a time holds up nobody', async () => {
  const { server, ask } = await setupHttp()
  const slow = Array.from({ length: 50 }, () => connect(server.port, '127.0.0.1'))
  for (const socket of slow) socket.write('GET /v1/jobs HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
  expect((await ask('GET', '/v1/jobs')).status).toBe(200)
  for (const socket of slow) socket.destroy()
})
