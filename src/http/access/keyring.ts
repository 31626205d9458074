import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { StintError } from '../../core/errors.ts'
import type { Stint } from '../../engine/stint.ts'
import type { HashedKeyRow } from '../../store/controls.ts'
import type { Access } from './access.ts'

/** So often at the most one that is not known is looked for. */
const lookMs = 100

const keyPattern = /^stint_[A-Za-z0-9_-]{43}$/

/** A new key. Whoever gets it is the only one who knows it. */
export function newKey(): string {
  return `stint_${randomBytes(32).toString('base64url')}`
}

/** A key is long and random, so a plain hash hides it, and to look it up by its hash tells nothing by its time. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** The keys that are in force, kept at hand. */
export class Keyring {
  readonly #stint: Stint
  readonly #freshMs: number
  #byHash = new Map<string, HashedKeyRow>()
  readonly #accesses = new Map<string, Access>()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  /** So long what is known of keys is taken for true: a key that is revoked opens nothing after that. */
  constructor(stint: Stint, freshMs: number) {
    this.#stint = stint
    this.#freshMs = freshMs
  }

  async isEmpty(): Promise<boolean> {
    await this.#read()
    return this.#byHash.size === 0
  }

  /** What a key allows. Throws when it opens nothing. */
  async accessOf(key: string): Promise<Access> {
    if (!keyPattern.test(key)) throw notInForce()
    const hash = hashOf(key)
    const row = await this.#require(hash)
    const known = this.#accesses.get(row.id)
    if (known !== undefined) return known
    const actor = `key ${row.label}`
    // What waits or reads on for long ends with the key, too.
    const permit = async () => void (await this.#require(hash))
    const stint = this.#stint.within({ path: row.scope, actor, permit })
    const access = { id: row.id, actor, role: row.role, path: row.scope, stint }
    this.#accesses.set(row.id, access)
    return access
  }

  async close(): Promise<void> {
    await Promise.all([...this.#accesses.values()].map(({ stint }) => stint.close()))
    this.#accesses.clear()
  }

  async #require(hash: string): Promise<HashedKeyRow> {
    const asked = performance.now()
    if (asked - this.#readAt > this.#freshMs) await this.#read()
    if (!this.#byHash.has(hash) && this.#readAt < asked) await this.#look()
    const row = this.#byHash.get(hash)
    if (row === undefined || (row.expiresAt !== null && row.expiresAt <= Date.now())) throw notInForce()
    return row
  }

  /** Reads once more, for all who ask for keys that are not known, and not at once: whoever tries many learns slowly. */
  async #look(): Promise<void> {
    await sleep(Math.max(0, this.#readAt + lookMs - performance.now()))
    // What is being read may have begun before the key was made.
    await this.#reading
    await this.#read()
  }

  async #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null
    })
    await this.#reading
  }

  async #readAll(): Promise<void> {
    const at = performance.now()
    const rows = await this.#stint.store.control('key.inForce', {})
    this.#byHash = new Map(rows.map((row) => [row.hash, row]))
    this.#readAt = at
    const ids = new Set(rows.map(({ id }) => id))
    for (const [id, access] of this.#accesses) {
      if (ids.has(id)) continue
      this.#accesses.delete(id)
      await access.stint.close()
    }
  }
}

function notInForce(): StintError {
  return new StintError('unauthorized', 'The key is not known, or not in force any more.')
}
