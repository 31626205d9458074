/** What the loops of both stores share: ids, names and digests as Stint makes them, and its schema and its `verify`. */
import { getRandomValues, hash } from 'node:crypto'
import { createStint } from '../harness/built-stint.ts'
import type { Job } from '../harness/system.ts'

export const batchSize = 500
export const type = 'noop'

/** A job before it has its key. */
export interface NewRow {
  readonly id: string
  readonly name: string
  readonly params: string
  readonly digest: string
}

export function newRow({ params }: Job): NewRow {
  const id = newId()
  const text = JSON.stringify(params)
  // In order, as the names are that Stint makes: the time and the counter of the id.
  const name = `/default/${type}-${id.replaceAll('-', '').slice(0, 20)}`
  return { id, name, params: text, digest: digestOf(text) }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22)
}

let lastTime = 0
let counter = 0

/** UUID version 7, in ascending order. */
export function newId(): string {
  const time = Date.now()
  counter = time > lastTime ? 0 : counter + 1
  lastTime = Math.max(time, lastTime)
  const hex = lastTime.toString(16).padStart(12, '0')
  const high = (counter >>> 12).toString(16).padStart(3, '0')
  const low = (0x8000 | (counter & 0xfff)).toString(16)
  const chance = Buffer.from(getRandomValues(new Uint8Array(6))).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${high}-${low}-${chance}`
}

/** Has Stint make its tables, and tells the number that it gives to the type of the jobs. */
export async function makeSchema(url: string): Promise<void> {
  await (await createStint({ url })).close()
}

/** The rows must be those that Stint would have written, or the limit measures something else. */
export async function verifyRows(url: string): Promise<readonly string[]> {
  const stint = await createStint({ url })
  try {
    const { differences } = await stint.verify()
    return differences.map((difference) => JSON.stringify(difference))
  } finally {
    await stint.close()
  }
}
