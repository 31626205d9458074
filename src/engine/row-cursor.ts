import { refuse } from '../store/check-input.ts'

/** Where the next page of a list begins. The keys of rows are our own affair, so nobody is shown them as they are. */
export function cursorOf(key: number): string {
  return Buffer.from(`k${key}`).toString('base64url')
}

/** The key of a row that a cursor holds; null for the first page. */
export function keyIn(cursor: string | null): number | null {
  if (cursor === null) return null
  const key = Number(Buffer.from(String(cursor), 'base64url').toString().slice(1))
  if (Number.isSafeInteger(key) && key >= 0 && cursorOf(key) === cursor) return key
  throw refuse('cursor', cursor, 'must be a cursor that a list gave')
}
