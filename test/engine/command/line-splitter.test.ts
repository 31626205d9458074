import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter, lineMaxBytes } from '../../../src/engine/command/line-splitter.ts'

function split(...chunks: readonly (string | readonly number[])[]): string[] {
  const lines: string[] = []
  const splitter = new LineSplitter((text) => lines.push(text))
  for (const chunk of chunks) splitter.add(Buffer.from(chunk as string))
  splitter.end()
  return lines
}

test.for([
  ['nothing', [''], []],
  ['one line', ['a\n'], ['a']],
  ['a last line without newline', ['a\nb'], ['a', 'b']],
  ['empty lines', ['\n\na\n\n'], ['', '', 'a', '']],
  ['a line in many chunks', ['a', '', 'b', 'c\nd', '\n'], ['abc', 'd']],
  ['a character over a border', [[0xf0, 0x9f], [0x98], [0x80, 0x0a]], ['😀']],
  ['half a character at the end', [[0x61, 0xf0, 0x9f]], ['a\ufffd']],
  ['half a character before a newline', [[0xc3], [0x0a, 0x61]], ['\ufffd', 'a']],
  ['bytes that are no UTF-8', [[0x61, 0xff, 0xfe, 0x62, 0x0a]], ['a\ufffd\ufffdb']],
  ['NUL', ['a\0b\n'], ['a\ufffdb']],
  ['a mark of byte order stays', ['\ufeffa\n'], ['\ufeffa']],
] as const)('%s', ([, chunks, lines]) => {
  expect(split(...chunks)).toEqual(lines)
})

test.for([
  ['exactly as long as allowed', 'x'.repeat(lineMaxBytes), [lineMaxBytes]],
  ['one byte longer', 'x'.repeat(lineMaxBytes + 1), [lineMaxBytes, 1]],
  ['many times longer', 'x'.repeat(3 * lineMaxBytes), [lineMaxBytes, lineMaxBytes, lineMaxBytes]],
  ['a character would be cut', `x${'😀'.repeat(lineMaxBytes / 4)}`, [lineMaxBytes - 3, 4]],
] as const)('a line that is too long is cut into pieces: %s', ([, line, lengths]) => {
  for (const end of ['', '\n', '\nnext\n']) {
    const pieces = split(line + end).filter((piece) => piece !== 'next')
    expect(pieces.join('')).toBe(line)
    expect(pieces.map((piece) => Buffer.byteLength(piece))).toEqual(lengths)
  }
})

test('where chunks begin and end changes nothing', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '😀', '\r', 'z'.repeat(9_000)), maxLength: 12 })
  const bytes = fc.oneof(
    text.map((it) => Buffer.from(it)),
    fc.uint8Array({ maxLength: 40 }).map((it) => Buffer.from(it)),
  )
  const borders = fc.array(fc.nat(60_000), { maxLength: 6 })
  fc.assert(
    fc.property(bytes, borders, (whole, cuts) => {
      const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
      const chunks = at.slice(1).map((end, i) => [...whole.subarray(at[i], end)])
      const lines = split(...chunks)
      expect(lines).toEqual(split([...whole]))
      for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(lineMaxBytes)
    }),
    { numRuns: 1_000 },
  )
})

test('without newlines nothing piles up', () => {
  let delivered = 0
  const splitter = new LineSplitter((text) => {
    delivered += text.length
  })
  for (let i = 1; i <= 1_000; i++) {
    splitter.add(Buffer.alloc(10_000, 'x'))
    expect(i * 10_000 - delivered).toBeLessThanOrEqual(lineMaxBytes)
  }
})
