const blanks = ' \t\n\r'
const ends = `${blanks},:[]{}"`
const escapes = /^\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/
const scalars = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

/** A number that is longer is taken for one. */
const scalarMax = 1_000

/**
 * Where a text stops being one JSON document: its first character that cannot stand there, or its end. The parser of the platform
 * mostly does not say. It recurses, so brackets are counted before.
 */
export function placeOfFault(text: string): number {
  let at = 0

  const skipBlanks = (): void => {
    while (at < text.length && blanks.includes(text.charAt(at))) at += 1
  }
  const takes = (char: string): boolean => {
    skipBlanks()
    if (text.charAt(at) !== char) return false
    at += 1
    return true
  }
  const value = (): boolean => {
    if (takes('{')) return entries('}', member)
    if (takes('[')) return entries(']', value)
    return text.charAt(at) === '"' ? string() : scalar()
  }
  const entries = (end: string, entry: () => boolean): boolean => {
    if (takes(end)) return true
    do {
      if (!entry()) return false
    } while (takes(','))
    return takes(end)
  }
  const member = (): boolean => {
    skipBlanks()
    return text.charAt(at) === '"' && string() && takes(':') && value()
  }
  const string = (): boolean => {
    for (at += 1; at < text.length; at++) {
      const char = text.charAt(at)
      if (char === '"') {
        at += 1
        return true
      }
      if (char < ' ') return false
      if (char !== '\\') continue
      const escaped = escapes.exec(text.slice(at, at + 6))
      if (escaped === null) return false
      at += escaped[0].length - 1
    }
    return false
  }
  const scalar = (): boolean => {
    let end = at
    while (end < text.length && !ends.includes(text.charAt(end))) end += 1
    if (end - at <= scalarMax && !scalars.test(text.slice(at, end))) return false
    at = end
    return true
  }

  if (value()) skipBlanks()
  return at
}
