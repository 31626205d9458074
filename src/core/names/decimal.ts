/** How a rule speaks about the numbers in names and ids. */
export const decimalRule = `an integer from 0 to ${Number.MAX_SAFE_INTEGER}`

const canonical = /^(?:0|[1-9][0-9]*)$/

/**
 * The number that the text prints, or null. Only the form that `String` gives counts: were `007` read as 7, two texts
 * would name one thing, and a number past the safe integers would come back as another one.
 */
export function readDecimal(text: string): number | null {
  const value = canonical.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : null
}

/** True for numbers whose printed form `readDecimal` reads back. Takes anything, because JavaScript callers pass it. */
export function isDecimal(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
