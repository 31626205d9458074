import { stripVTControlCharacters } from 'node:util'

/** Made when a text needs it, which few do: it takes longer than most commands have to do. */
let segmenter: Intl.Segmenter | null = null

function segmentsOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6])/u
/** Signs that are as wide as a letter: ours, and all of ASCII. */
const plain = /^[\u0020-\u007e…✔✖●○■↷–█░▏▎▍▌▋▊▉├─└│]*$/

/** How many columns a text takes on a screen. */
export function widthOf(text: string): number {
  const bare = stripVTControlCharacters(text)
  if (plain.test(bare)) return bare.length
  let width = 0
  for (const { segment } of segmentsOf(bare)) width += wide.test(segment) ? 2 : 1
  return width
}

/** Cuts a text without colours so that it is no wider than so many columns. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let [kept, width] = ['', 0]
  for (const { segment } of segmentsOf(text)) {
    width += wide.test(segment) ? 2 : 1
    if (width > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}

export function padded(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const room = ' '.repeat(Math.max(0, columns - widthOf(text)))
  return align === 'left' ? text + room : room + text
}

/** Names and errors of jobs are anybody's: what would move the cursor of whoever reads them is shown as what it is. */
export function harmless(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    if (character === '\n') return '⏎'
    if (character === '\t') return ' '
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  })
}

/** A line of a log: programs colour theirs, and nothing else that they could do to a terminal is let through. */
export function harmlessLine(line: string, colors: boolean): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const parts = line.split(/(\u001b\[[0-9;]*m)/)
  return parts.map((part, i) => (i % 2 === 1 ? (colors ? part : '') : harmless(part))).join('')
}
