/** Bytes of the text in UTF-8. A lone surrogate counts as the replacement character that an encoder writes for it. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (const char of text) bytes += bytesOf(char)
  return bytes
}

/** A string's iterator gives code points, and only those outside the basic plane are two units long. */
function bytesOf(char: string): number {
  if (char.length === 2) return 4
  const code = char.charCodeAt(0)
  return code < 0x80 ? 1 : code < 0x800 ? 2 : 3
}
