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
  let prefix = ''
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
      prefix = prefixOf(time)
      // Half of the range is left to count up in, which is more than a millisecond can use.
      counter = ((bytes[6] ?? 0) << 23) | ((bytes[7] ?? 0) << 15) | ((bytes[8] ?? 0) << 7)
    } else counter += 1
    return prefix + restOf(counter >>> 0, bytes)
  }
}

/** 48 bits of time: the same for all ids of a millisecond. */
function prefixOf(time: number): string {
  const hex = time.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-`
}

/** The version, 12 and 20 bits of counter around the variant, 42 bits of chance. */
function restOf(counter: number, chance: Uint8Array): string {
  const high = 0x7000 | (counter >>> 20)
  const middle = 0x8000 | ((counter >>> 6) & 0x3fff)
  const low = ((counter & 0x3f) << 2) | ((chance[10] ?? 0) & 3)
  let hex = `${hexOf(high)}-${hexOf(middle)}-${hexOfByte[low]}`
  for (let i = 11; i < 16; i++) hex += hexOfByte[chance[i] ?? 0]
  return hex
}

/** To look it up costs a fifth of making it, and every job has an id. */
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Of 16 bits. */
function hexOf(number: number): string {
  return `${hexOfByte[number >>> 8]}${hexOfByte[number & 0xff]}`
}

const epoch = Date.UTC(2020, 0)

const timeRange = 2 ** 48

/**
 * An id short enough for a name, and in order like the ids: the milliseconds, 16 bits of the counter, 20 bits of chance.
 * So names that nobody chose go to the end of every index, too. Ids that others chose begin with any bits instead of the
 * time: those before our epoch stand behind all others, because a sign has no place in a name.
 */
export function shortId(id: string): string {
  const prefix = id.slice(0, 13)
  if (prefix !== newest.prefix) newest = { prefix, text: shortTime(prefix) }
  // Around the 16 bits of the counter stand those of the variant, and two of chance.
  const counter = (Number.parseInt(id.slice(19, 23) + id.slice(24, 26), 16) & 0x3ffff) >> 2
  return newest.text + sevenDigits(counter * 2 ** 20 + Number.parseInt(id.slice(26, 31), 16))
}

/** Many ids are made in the same millisecond. */
let newest = { prefix: '', text: '' }

function shortTime(prefix: string): string {
  const time = (Number.parseInt(prefix.replace('-', ''), 16) - epoch + timeRange) % timeRange
  return time.toString(36).padStart(8, '0')
}

const pairMax = 36 ** 2

/** Pairs of digits to the base 36, to be looked up like those above. */
const pairOf = Array.from({ length: pairMax }, (_, number) => number.toString(36).padStart(2, '0'))

/** Of 36 bits, to the base 36. */
function sevenDigits(number: number): string {
  const high = Math.floor(number / pairMax ** 2)
  const low = number % pairMax ** 2
  const digits = `${pairOf[Math.floor(high / pairMax)]}${pairOf[high % pairMax]}${pairOf[Math.floor(low / pairMax)]}`
  return digits.slice(1) + pairOf[low % pairMax]
}
