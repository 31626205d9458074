import { describe, expect, it } from 'vitest'
import { failuresMax } from '../../src/core/webhook/webhook.ts'
import type { WebhookControls } from '../../src/store/controls.ts'
import type { Store } from '../../src/store/store.ts'
import { newId, type Setup, submitOne } from '../support/fixture.ts'
import { codeOf } from '../support/requests.ts'

const [secret, newer] = ['A', 'B'].map((letter) => `whsec_${letter.repeat(32)}`) as [string, string]
const url = 'https://example.com/hook'

/** On PostgreSQL the newest events are seen when all transactions that began before have ended, in whatever database. */
const patience = { timeout: 30_000 }

export function webhookContract(setup: Setup): void {
  type Fields = Partial<WebhookControls['webhook.create']['input']>
  const create = (store: Store, fields: Fields = {}) => {
    return store.control('webhook.create', { id: newId(), url, scope: null, secret, ...fields })
  }
  const history = async (store: Store, id: string) => {
    const { entries } = await store.events({ record: id, limit: 100 })
    return entries.map(({ eventType }) => eventType)
  }
  const activeOf = async (store: Store, id: string) => {
    return (await store.control('webhook.active', {})).find((each) => each.id === id)
  }

  describe('webhooks', () => {
    it('have all their fields, and never show their secrets', async () => {
      const { store } = await setup()
      const id = newId()
      const given = { id, url, scope: '/a/b', types: ['job.*', 'job.*', 'x'], label: 'Ours', secret }
      const created = await store.control('webhook.create', given, { now: 1_000 })
      const expected = {
        ...{
          id,
          url,
          scope: '/a/b',
          types: ['job.*', 'x'],
          label: 'Ours',
          status: 'ACTIVE',
          reason: null,
          failures: 0,
        },
        ...{ rotatingUntil: null, createdAt: 1_000, updatedAt: 1_000 },
      }
      expect(created).toEqual(expected)
      expect(await store.control('webhook.get', { webhook: id })).toEqual(expected)
      expect(await store.control('webhook.list', { limit: 10 })).toEqual({ items: [expected], next: null })
      expect(await store.control('webhook.get', { webhook: newId() })).toBeNull()
      const { entries } = await store.events({ record: id, limit: 10 })
      expect(JSON.stringify(entries)).not.toContain('whsec')
      const { types } = await create(store)
      expect(types).toEqual(['job.run.completed', 'job.run.failed', 'job.run.skipped'])
    })

    it('change, are disabled with a reason, and begin anew when they are enabled', async () => {
      const { store } = await setup()
      const { id: webhook } = await create(store)
      const first = await activeOf(store, webhook)
      const change = (changes: WebhookControls['webhook.change']['input']['changes']) => {
        return store.control('webhook.change', { webhook, changes })
      }
      expect(await change({ label: 'New', types: ['*'] })).toMatchObject({ label: 'New', types: ['*'], url })
      expect(await change({ status: 'DISABLED', reason: 'no' })).toMatchObject({ status: 'DISABLED', reason: 'no' })
      expect(await change({ status: 'DISABLED' })).toMatchObject({ reason: 'no' })
      expect(await store.control('webhook.active', {})).toEqual([])
      await submitOne(store)
      expect(await change({ status: 'ACTIVE' })).toMatchObject({ status: 'ACTIVE', reason: null })
      const again = await activeOf(store, webhook)
      expect(again?.since).toBeGreaterThanOrEqual(first?.since ?? Number.NaN)
      expect(await history(store, webhook)).toEqual([
        ...['webhook.created', 'webhook.changed', 'webhook.disabled', 'webhook.changed'],
      ])
    })

    it('begin at the end of the log: what comes is behind their cursor, all of it', async () => {
      const { store } = await setup()
      await submitOne(store)
      await expect.poll(async () => (await store.events({ limit: 10 })).entries.length, patience).toBe(1)
      const { id } = await create(store)
      const { job } = await submitOne(store)
      const seen = async () => {
        const after = (await activeOf(store, id))?.cursor ?? null
        const { entries } = await store.events({ after, limit: 10 })
        return entries.map(({ eventType, jobId }) => `${eventType} ${jobId}`)
      }
      await expect.poll(seen, patience).toContain(`job.created ${job.id}`)
    })

    it('go on from where somebody has come, and nobody puts them back', async () => {
      const { store } = await setup()
      const [a, b] = [await create(store), await create(store)]
      const from = (await activeOf(store, a.id))?.cursor ?? ''
      const cursors = async () => (await store.control('webhook.active', {})).map(({ cursor }) => cursor)
      await store.control('webhook.advance', { webhooks: [a.id], from, to: '7' })
      await store.control('webhook.advance', { webhooks: [a.id], from, to: '5' })
      expect((await activeOf(store, a.id))?.cursor).toBe('7')
      await store.control('webhook.advance', { webhooks: [a.id, b.id, newId()], from: '7', to: '9' })
      expect((await cursors()).filter((cursor) => cursor === '9')).toHaveLength(1)
      expect(await history(store, a.id)).toEqual(['webhook.created'])
    })

    it('sign with the secret before as well for a time', async () => {
      const { store } = await setup()
      const { id: webhook } = await create(store)
      const secrets = async (now: number) => (await store.control('webhook.target', { webhook }, { now }))?.secrets
      await store.control('webhook.rotate', { webhook, secret: newer, keepMs: 50 }, { now: 1_000 })
      expect(await secrets(1_049)).toEqual([newer, secret])
      expect(await secrets(1_050)).toEqual([newer])
      expect(await store.control('webhook.get', { webhook })).toMatchObject({ rotatingUntil: 1_050 })
    })

    it('are disabled after so many failures in a row, or when the receiver is gone', async () => {
      const { store } = await setup()
      const { id: webhook } = await create(store)
      const tell = (fate: WebhookControls['webhook.tell']['input']['fate'], id = webhook) => {
        return store.control('webhook.tell', { webhook: id, fate })
      }
      for (let i = 1; i < failuresMax; i++) await tell('failed')
      await tell('delivered')
      for (let i = 1; i < failuresMax; i++) await tell('failed')
      expect(await store.control('webhook.get', { webhook })).toMatchObject({ status: 'ACTIVE' })
      await tell('failed')
      expect(await store.control('webhook.get', { webhook })).toMatchObject({ status: 'DISABLED' })
      expect(await history(store, webhook)).toEqual(['webhook.created', 'webhook.disabled'])
      const other = await create(store)
      await tell('gone', other.id)
      expect(await store.control('webhook.target', { webhook: other.id })).toMatchObject({
        ...{ status: 'DISABLED', reason: 'the receiver answered 410 Gone' },
      })
      await tell('failed', newId())
    })

    it('are deleted, and then nothing of them is found', async () => {
      const { store } = await setup()
      const { id: webhook } = await create(store)
      expect(await store.control('webhook.delete', { webhook })).toMatchObject({ id: webhook })
      expect(await store.control('webhook.get', { webhook })).toBeNull()
      expect(await store.control('webhook.target', { webhook })).toBeNull()
      expect(await store.control('webhook.list', { limit: 10 })).toEqual({ items: [], next: null })
      expect(await store.control('webhook.active', {})).toEqual([])
      await store.control('webhook.tell', { webhook, fate: 'failed' })
      for (const name of ['webhook.delete', 'webhook.change', 'webhook.rotate'] as const) {
        const input = { webhook, changes: { label: 'x' }, secret: newer, keepMs: 1 }
        expect(await codeOf(store.control(name, input)), name).toBe('not_found')
      }
      expect(await history(store, webhook)).toEqual(['webhook.created', 'webhook.deleted'])
    })

    it.each<[string, object]>([
      ['id', { id: 'x' }],
      ['url', { url: 'ftp://example.com' }],
      ['url', { url: 'https://' }],
      ['url', { url: 5 }],
      ['scope', { scope: 'a' }],
      ['types', { types: [] }],
      ['types', { types: ['a*'] }],
      ['types', { types: [5] }],
      ['types', { types: 'job.*' }],
      ['label', { label: '\0' }],
      ['secret', { secret: 'whsec_short' }],
      ['secret', { secret: null }],
    ])('are refused with a wrong %s: %j', async (_, fields) => {
      const { store } = await setup()
      expect(await codeOf(create(store, fields))).toMatch(/^invalid_/)
      const { id: webhook } = await create(store)
      if ('id' in fields || 'scope' in fields || 'secret' in fields) return
      expect(await codeOf(store.control('webhook.change', { webhook, changes: fields }))).toMatch(/^invalid_/)
      expect(await history(store, webhook)).toEqual(['webhook.created'])
    })

    it('are refused what is no status, no fate and no cursor', async () => {
      const { store } = await setup()
      const { id: webhook } = await create(store)
      const changes = { status: 'PAUSED' as 'ACTIVE' }
      expect(await codeOf(store.control('webhook.change', { webhook, changes }))).toBe('invalid_argument')
      expect(await codeOf(store.control('webhook.tell', { webhook, fate: 'lost' as 'gone' }))).toBe('invalid_argument')
      const advance = (to: unknown) => {
        return codeOf(store.control('webhook.advance', { webhooks: [webhook], from: '0', to: to as string }))
      }
      expect([await advance(null), await advance('')]).toEqual(['invalid_argument', 'invalid_argument'])
    })
  })
}
