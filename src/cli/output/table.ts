import type { Screen } from '../terminal.ts'
import { cut, harmless, padded, widthOf } from './text.ts'

export interface Column<Row> {
  readonly title: string
  /** What stands in it. It is made harmless, and cut where there is no room. */
  readonly text: (row: Row) => string
  /** Colours it, once it has its width. */
  readonly paint?: (text: string, row: Row) => string
  readonly align?: 'right'
  /** Gives way when the screen is narrow. */
  readonly shrinks?: true
}

const gap = '  '
const shrunkMin = 12

/** A table whose rows are no wider than the screen, where there is one. */
export function tableText<Row>(rows: readonly Row[], columns: readonly Column<Row>[], screen: Screen): string {
  const cells = rows.map((row) => columns.map((column) => harmless(column.text(row))))
  const widths = fitted(
    columns.map(({ title }, i) => Math.max(widthOf(title), ...cells.map((row) => widthOf(row[i] ?? '')))),
    columns,
    screen.columns,
  )
  const place = (text: string, i: number) => {
    const { align = 'left' } = columns[i] ?? {}
    const width = widths[i] ?? 0
    return i === columns.length - 1 && align === 'left' ? cut(text, width) : padded(cut(text, width), width, align)
  }
  const head = columns.map(({ title }, i) => screen.colors.dim(place(title, i))).join(gap)
  const body = cells.map((row, at) => {
    const painted = row.map((text, i) => {
      const column = columns[i]
      const placed = place(text, i)
      return column?.paint === undefined ? placed : column.paint(placed, rows[at] as Row)
    })
    return painted.join(gap).trimEnd()
  })
  return `${[head.trimEnd(), ...body].join('\n')}\n`
}

/** Lets the columns that may shrink do so, the widest first, until all fit. */
function fitted<Row>(natural: readonly number[], columns: readonly Column<Row>[], room: number): readonly number[] {
  const widths = [...natural]
  const total = () => widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1))
  while (total() > room) {
    const shrinking = columns.flatMap(({ shrinks }, i) => (shrinks && (widths[i] ?? 0) > shrunkMin ? [i] : []))
    const widest = shrinking.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0]
    if (widest === undefined) break
    widths[widest] = Math.max(shrunkMin, (widths[widest] ?? 0) - Math.max(1, total() - room))
  }
  return widths
}

/** Fields of one thing, one a line. Fields without a value are left out. */
export function sheetText(fields: readonly (readonly [title: string, text: string | null])[], screen: Screen): string {
  const shown = fields.filter((field): field is readonly [string, string] => field[1] !== null)
  const width = Math.max(0, ...shown.map(([title]) => widthOf(title)))
  return shown.map(([title, text]) => `${screen.colors.dim(padded(title, width))}  ${text}\n`).join('')
}
