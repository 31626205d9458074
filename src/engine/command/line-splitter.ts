/** Long enough for every line that people write, short enough that a program without newlines cannot fill the memory. */
export const lineMaxBytes = 16 * 1024

/**
 * Makes lines of the bytes of one stream. A character may stand on both sides of a border between chunks, so bytes are
 * decoded as a stream. Invalid bytes and NUL become U+FFFD: neither can be stored as text on every store.
 */
export class LineSplitter {
  readonly #onLine: (text: string) => void
  readonly #onText: (text: string) => void
  // A mark of byte order is kept as it is: what a program printed is not ours to edit.
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  readonly #piece = new Uint8Array(lineMaxBytes)
  readonly #encoder = new TextEncoder()
  #rest = ''

  /** `onText` hears the same text before it is split, for whoever keeps the end of it. */
  constructor(onLine: (text: string) => void, onText: (text: string) => void = () => {}) {
    this.#onLine = onLine
    this.#onText = onText
  }

  add(bytes: Uint8Array): void {
    this.#addText(this.#decoder.decode(bytes, { stream: true }))
  }

  /** Delivers a last line that has no newline. */
  end(): void {
    this.#addText(this.#decoder.decode())
    if (this.#rest !== '') this.#onLine(this.#rest)
    this.#rest = ''
  }

  #addText(decoded: string): void {
    const text = decoded.replaceAll('\0', '\ufffd')
    this.#onText(text)
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#onLine(this.#cut(this.#rest + text.slice(start, end)))
      this.#rest = ''
      start = end + 1
    }
    this.#rest = this.#cut(this.#rest + text.slice(start))
  }

  /** Delivers full pieces of a line that is too long, and gives back what is left of it. */
  #cut(line: string): string {
    let left = line
    // No UTF-16 unit takes more than three bytes, so short lines need not be measured.
    while (left.length * 3 > lineMaxBytes) {
      const { read } = this.#encoder.encodeInto(left, this.#piece)
      if (read === left.length) break
      this.#onLine(left.slice(0, read))
      left = left.slice(read)
    }
    return left
  }
}
