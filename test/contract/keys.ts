import { describe, expect, it } from 'vitest'
import { type Role, roles } from '../../src/core/access/key.ts'
import type { Controls } from '../../src/store/controls.ts'
import type { Store } from '../../src/store/store.ts'
import { newId, type Setup } from '../support/fixture.ts'
import { codeOf } from '../support/requests.ts'

type NewKey = Controls['key.create']['input']

let made = 0

function keyOf(fields: Partial<NewKey> = {}): NewKey {
  made += 1
  const hash = made.toString(16).padStart(64, 'c')
  return { id: newId(), label: `key ${made}`, hash, scope: '/a', role: 'submit', expiresAt: null, ...fields }
}

async function create(store: Store, fields: Partial<NewKey> = {}): Promise<NewKey> {
  const key = keyOf(fields)
  await store.control('key.create', key)
  return key
}

async function inForce(store: Store, now?: number): Promise<readonly string[]> {
  const rows = await store.control('key.inForce', {}, now === undefined ? {} : { now })
  return rows.map(({ id }) => id)
}

/** All that the log says about a key. */
async function eventsOf(store: Store, record: string) {
  return (await store.events({ record, limit: 100 })).entries
}

const [at, later] = [1_800_000_000_000, 1_800_000_001_000]

export function keysContract(setup: Setup): void {
  describe('an access key', () => {
    it.each(roles)('of the role %s is shown without its hash', async (role: Role) => {
      const { store } = await setup()
      const { hash, ...key } = keyOf({ role, expiresAt: later })
      const row = await store.control('key.create', { ...key, hash }, { now: at })
      expect(row).toEqual({ ...key, revokedAt: null, createdAt: at })
      expect(await store.control('key.get', { key: key.id })).toEqual(row)
      expect((await store.control('key.list', { limit: 10 })).items).toEqual([row])
      expect(await store.control('key.inForce', {}, { now: at })).toEqual([{ ...row, hash }])
    })

    it('reaches everything without a scope', async () => {
      const { store } = await setup()
      const { id } = await create(store, { scope: null })
      expect((await store.control('key.get', { key: id }))?.scope).toBeNull()
    })

    it('is not there before it was made', async () => {
      const { store } = await setup()
      const [id, other] = [newId(), (await create(store)).id]
      expect(await store.control('key.get', { key: id })).toBeNull()
      expect(await codeOf(store.control('key.revoke', { key: id }))).toBe('not_found')
      expect(await inForce(store)).toEqual([other])
    })

    it('has an id of its own', async () => {
      const { store } = await setup()
      const { id } = await create(store)
      expect(await codeOf(store.control('key.create', keyOf({ id })))).toBe('path_taken')
    })

    it('is revoked once, at the time of the database, and stays so', async () => {
      const { store } = await setup()
      const { id } = await create(store)
      const { id: other } = await create(store)
      const revoked = await store.control('key.revoke', { key: id }, { now: at })
      expect(revoked.revokedAt).toBe(at)
      expect(await store.control('key.revoke', { key: id }, { now: later })).toEqual(revoked)
      expect(await store.control('key.get', { key: id })).toEqual(revoked)
      expect(await inForce(store, at)).toEqual([other])
      expect((await eventsOf(store, id)).map(({ eventType }) => eventType)).toEqual(['key.created', 'key.revoked'])
    })

    it('is in force until the instant of its expiry, by the time of the database', async () => {
      const { store } = await setup()
      const { id } = await create(store, { expiresAt: later })
      expect(await inForce(store, later - 1)).toEqual([id])
      expect(await inForce(store, later)).toEqual([])
      expect((await store.control('key.get', { key: id }))?.expiresAt).toBe(later)
    })

    it('is listed by page, the newest first, when it was revoked only for who asks for that', async () => {
      const { store } = await setup()
      const ids: string[] = []
      for (let i = 0; i < 5; i++) ids.unshift((await create(store)).id)
      await store.control('key.revoke', { key: ids[1] ?? '' })
      const pages = async (withReleased: boolean) => {
        const seen: string[] = []
        for (let before: number | null = null; ; ) {
          const page: Controls['key.list']['output'] = await store.control('key.list', {
            ...{ before, withReleased },
            limit: 2,
          })
          expect(page.items.length).toBeLessThanOrEqual(2)
          seen.push(...page.items.map(({ id }) => id))
          if (page.next === null) return seen
          before = page.next
        }
      }
      expect(await pages(true)).toEqual(ids)
      expect(await pages(false)).toEqual(ids.filter((_, i) => i !== 1))
    })

    it('stands in the log with who made and revoked it, and without its hash', async () => {
      const { store } = await setup()
      const key = keyOf({ label: 'ci' })
      await store.control('key.create', key, { context: { actor: 'ada' } })
      await store.control('key.revoke', { key: key.id }, { context: { actor: 'bob' } })
      const entries = await eventsOf(store, key.id)
      const about = { id: key.id, path: `/~stint/keys/${key.id}`, label: 'ci' }
      expect(entries.map(({ eventType, actor, attributes }) => [eventType, actor, attributes])).toEqual([
        ['key.created', 'ada', { ...about, scope: '/a', role: 'submit' }],
        ['key.revoked', 'bob', about],
      ])
      expect(JSON.stringify((await store.events({ limit: 100 })).entries)).not.toContain(key.hash)
    })

    const wrong: Readonly<Record<string, readonly [Record<string, unknown>, string]>> = {
      'no id': [{ id: undefined }, 'invalid_id'],
      'an id in upper case': [{ id: newId().toUpperCase() }, 'invalid_id'],
      'no label': [{ label: undefined }, 'invalid_argument'],
      'an empty label': [{ label: '' }, 'invalid_argument'],
      'a label that is too long to stand in the log': [{ label: 'x'.repeat(201) }, 'invalid_argument'],
      'NUL in its label': [{ label: 'a\0b' }, 'invalid_json'],
      'half a character in its label': [{ label: '\ud800' }, 'invalid_json'],
      'no hash': [{ hash: undefined }, 'invalid_argument'],
      'a hash that is none': [{ hash: 'stint_not-a-hash' }, 'invalid_argument'],
      'no role': [{ role: undefined }, 'invalid_argument'],
      'an unknown role': [{ role: 'root' }, 'invalid_argument'],
      'a role of the language': [{ role: 'constructor' }, 'invalid_argument'],
      'a scope that is no path': [{ scope: 'a' }, 'invalid_name'],
      'an empty scope': [{ scope: '' }, 'invalid_name'],
      'a scope of the wrong type': [{ scope: 7 }, 'invalid_name'],
      // Whoever forgets to say it must not get everything.
      'no word about its scope': [{ scope: undefined }, 'invalid_argument'],
      'an expiry that is no instant': [{ expiresAt: Number.POSITIVE_INFINITY }, 'invalid_argument'],
      'an expiry in words': [{ expiresAt: 'never' }, 'invalid_argument'],
    }

    it('is not made with what is wrong', async () => {
      const { store } = await setup()
      for (const [what, [fields, code]] of Object.entries(wrong)) {
        expect(await codeOf(store.control('key.create', keyOf(fields as Partial<NewKey>))), what).toBe(code)
      }
      expect(await inForce(store)).toEqual([])
    })

    it('is not looked for by what is no id', async () => {
      const { store } = await setup()
      for (const key of [undefined, null, 7, 'x', '/a']) {
        for (const name of ['key.get', 'key.revoke'] as const) {
          expect(await codeOf(store.control(name, { key: key as string })), String(key)).toBe('invalid_id')
        }
      }
    })
  })
}
