import { hash } from 'node:crypto'

/**
 * Names a JSON text in events and runs, so that the text itself is stored once. 128 bits of SHA-256 are plenty to notice
 * any change, and short enough to stand in every event.
 */
export function digestOf(text: string | null): string | null {
  return text === null ? null : hash('sha256', text, 'base64url').slice(0, 22)
}
