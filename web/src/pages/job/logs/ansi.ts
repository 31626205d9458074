/** A stretch of a line in one style. */
export interface Span {
  readonly text: string
  readonly className: string
}

/** The colours of a terminal, as those of this page: what a program marked as wrong or right stays so in both themes. */
const colours: Readonly<Record<number, string>> = {
  31: 'text-fail',
  32: 'text-ok',
  33: 'text-warn',
  34: 'text-run',
  35: 'text-accent',
  36: 'text-run',
  90: 'text-ink-3',
  91: 'text-fail',
  92: 'text-ok',
  93: 'text-warn',
  94: 'text-run',
  95: 'text-accent',
  96: 'text-run',
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of terminals are made of them.
const sequence = /\u001b\[([0-9;]*)([A-Za-z])|\u001b\][^\u0007]*\u0007|[\u0000-\u0008\u000b-\u001f\u007f]/g

/** A line with the sequences of terminals taken out: colours become styles, all others nothing. */
export function spansOf(line: string): readonly Span[] {
  const spans: Span[] = []
  let style = { colour: '', isBold: false, isDim: false }
  let from = 0
  const push = (text: string) => {
    if (text === '') return
    const className = [style.colour, style.isBold && 'font-semibold', style.isDim && 'text-ink-3']
      .filter(Boolean)
      .join(' ')
    spans.push({ text, className })
  }
  for (const match of line.matchAll(sequence)) {
    push(line.slice(from, match.index))
    from = match.index + match[0].length
    if (match[2] === 'm') for (const code of (match[1] || '0').split(';')) style = styled(style, Number(code))
  }
  push(line.slice(from))
  return spans
}

function styled(style: { colour: string; isBold: boolean; isDim: boolean }, code: number) {
  if (code === 0) return { colour: '', isBold: false, isDim: false }
  if (code === 1) return { ...style, isBold: true }
  if (code === 2) return { ...style, isDim: true }
  if (code === 22) return { ...style, isBold: false, isDim: false }
  if (code === 39) return { ...style, colour: '' }
  const colour = colours[code]
  return colour === undefined ? style : { ...style, colour }
}

/** The text alone. */
export function plainOf(line: string): string {
  return line.replace(sequence, '')
}
