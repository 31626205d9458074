/** A table that reads well in a terminal and is Markdown. Columns after the first `texts` hold numbers, flush right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], texts = 1): string {
  const widths = head.map((cell, i) => Math.max(3, cell.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const pad = (cell: string, i: number) => (i < texts ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`
  const rule = widths.map((width, i) => (i < texts ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

export const unknown = '–'

/** `12,300`: three digits mean something, more do not. */
export function rounded(value: number | null): string {
  if (value === null) return unknown
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)) - 2)
  return (Math.round(value / step) * step).toLocaleString('en-US')
}

export function milliseconds(value: number | null): string {
  return value === null ? unknown : value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
}

export function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0)
}

/** Something that was measured, beside what it ought to be. */
export interface Check {
  readonly what: string
  readonly value: number
  readonly unit: '×' | 'ms' | 'MB'
  readonly atLeast?: number
  readonly atMost?: number
}

export function checkTable(checks: readonly Check[]): string {
  const rows = checks.map(({ what, value, unit, atLeast, atMost }) => {
    const show = (number: number) => (unit === '×' ? `${number.toFixed(2)} ×` : `${milliseconds(number)} ${unit}`)
    const aim = atLeast === undefined ? (atMost === undefined ? unknown : `≤ ${atMost}`) : `≥ ${atLeast}`
    const isMet = value >= (atLeast ?? value) && value <= (atMost ?? value)
    return [what, show(value), aim, aim === unknown ? unknown : isMet ? 'yes' : 'no']
  })
  return table(['compared', 'measured', 'aim', 'met'], rows)
}
