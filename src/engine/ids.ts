import { getRandomValues } from 'node:crypto'

export type NewId = () => string

/**
 * Makes ids of UUID version 7: the time first, so that new rows go to the end of every index, then a counter, so that ids
 * of one process never go backwards, not even when the clock does, then chance.
 */
export function idMaker(now: () => number = Date.now, fill: (bytes: Uint8Array) => void = getRandomValues): NewId {
  // Chance comes by the page: to ask for it costs much more than to have it.
  const page = new Uint8Array(16 * 256)
  let used = page.length
  let time = 0
  let counter = 0
  return () => {
    if (used === page.length) {
      fill(page)
      used = 0
    }
    const bytes = page.subarray(used, used + 16)
    used += 16
    const at = Math.floor(now())
    if (at > time) {
      time = at
      // Half of the range is left to count up in, which is more than a millisecond can use.
      counter = ((bytes[6] ?? 0) << 23) | ((bytes[7] ?? 0) << 15) | ((bytes[8] ?? 0) << 7)
    } else counter += 1
    return format(time, counter >>> 0, bytes)
  }
}

/** 48 bits of time, version, 12 and 20 bits of counter around the variant, 42 bits of chance. */
function format(time: number, counter: number, chance: Uint8Array): string {
  const timeHex = time.toString(16).padStart(12, '0')
  const high = (counter >>> 20).toString(16).padStart(3, '0')
  const middle = (0x8000 | ((counter >>> 6) & 0x3fff)).toString(16)
  const low = (((counter & 0x3f) << 2) | ((chance[10] ?? 0) & 3)).toString(16).padStart(2, '0')
  return `${timeHex.slice(0, 8)}-${timeHex.slice(8)}-7${high}-${middle}-${low}${hexOf(chance, 11, 16)}`
}

function hexOf(bytes: Uint8Array, from: number, to: number): string {
  let hex = ''
  for (let i = from; i < to; i++) hex += ((bytes[i] ?? 0) + 0x100).toString(16).slice(1)
  return hex
}

const epoch = Date.UTC(2020, 0)

/**
 * An id short enough for a name, and in order like the ids: the milliseconds, 16 bits of the counter, 20 bits of chance.
 * So names that nobody chose go to the end of every index, too.
 */
export function shortId(id: string): string {
  const hex = (from: number, to: number) => Number.parseInt(id.slice(from, to), 16)
  const time = hex(0, 8) * 65_536 + hex(9, 13) - epoch
  const counter = ((hex(19, 23) & 0x3ff) << 6) | (hex(24, 26) >> 2)
  const rest = counter * 2 ** 20 + hex(26, 31)
  return time.toString(36).padStart(8, '0') + rest.toString(36).padStart(7, '0')
}
