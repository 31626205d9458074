/** What a terminal of a size shows after it was sent a text: as much of one as the command line uses. */
export function screenOf(text: string, columns: number, rows: number): readonly string[] {
  const lines: string[][] = [[]]
  let [row, column] = [0, 0]
  const lineAt = (at: number) => {
    while (lines.length <= at) lines.push([])
    return lines[at] as string[]
  }
  const put = (character: string) => {
    // A character behind the last column goes to the next line, as it does for whoever looks.
    if (column === columns) [row, column] = [row + 1, 0]
    const line = lineAt(row)
    while (line.length < column) line.push(' ')
    line[column] = character
    column += 1
  }
  const control = (parameters: string, final: string) => {
    const count = Number(parameters || 1)
    if (final === 'A') row = Math.max(0, row - count)
    if (final === 'K') lineAt(row).length = Math.min(lineAt(row).length, column)
    if (final === 'J') {
      lineAt(row).length = Math.min(lineAt(row).length, column)
      lines.length = row + 1
    }
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a terminal is told.
  for (const [part, parameters, final] of text.matchAll(/\u001b\[([?0-9;]*)([A-Za-z])|[\s\S]/gu)) {
    if (final !== undefined) control(parameters ?? '', final)
    else if (part === '\n') row += 1
    else if (part === '\r') column = 0
    else put(part)
    lineAt(row)
  }
  return lines.slice(-rows).map((line) => line.join('').trimEnd())
}
