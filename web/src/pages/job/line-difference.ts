export interface DifferenceLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** More lines than that are not compared, but shown one text after the other. */
const lineMax = 1_500

/** The fewest lines to take out of one text and put into it to get the other. */
export function differenceOf(before: readonly string[], after: readonly string[]): readonly DifferenceLine[] {
  if (before.length > lineMax || after.length > lineMax) return [...marked('gone', before), ...marked('new', after)]
  const common = commonLengths(before, after)
  const lines: DifferenceLine[] = []
  let [i, j] = [0, 0]
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i] ?? '' })
      i += 1
      j += 1
    } else if ((common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))
      lines.push({ kind: 'gone', text: before[i++] ?? '' })
    else lines.push({ kind: 'new', text: after[j++] ?? '' })
  }
  return [...lines, ...marked('gone', before.slice(i)), ...marked('new', after.slice(j))]
}

function marked(kind: DifferenceLine['kind'], texts: readonly string[]): readonly DifferenceLine[] {
  return texts.map((text) => ({ kind, text }))
}

/** How many lines both have in common from each pair of places on. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly Uint16Array[] {
  const rows = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = rows[i] as Uint16Array
      row[j] =
        before[i] === after[j] ? (rows[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(rows[i + 1]?.[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return rows
}
