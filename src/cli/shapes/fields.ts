import type { Shape } from '../output/print.ts'
import { type Column, sheetText } from '../output/table.ts'
import { harmless } from '../output/text.ts'
import type { Colors } from '../terminal.ts'
import { iconOf, painted } from './status.ts'

/** Something that is shown of a thing: in a column, or only where one thing has the screen for itself. */
export interface Field<Item> {
  readonly title: string
  /** Null where there is nothing to say. */
  readonly text: (item: Item) => string | null
  readonly column?: 'plain' | 'right' | 'shrinks'
  /** A status, with its sign and its colour. */
  readonly isStatus?: true
}

/** How things with fields are shown. */
export function shapeOf<Item>(about: {
  readonly name: (item: Item) => string
  readonly none: string
  readonly fields: readonly Field<Item>[]
}): Shape<Item> {
  const { name, none, fields } = about
  return {
    name,
    none,
    columns: ({ colors }) =>
      fields.filter(({ column }) => column !== undefined).map((field) => columnOf(field, colors)),
    sheet: (item, screen) => {
      return sheetText(
        fields.map((field) => {
          const text = field.text(item)
          if (text === null || text === '') return [titled(field.title), null]
          const shown = field.isStatus ? painted(`${iconOf(text)} ${text}`, text, screen.colors) : harmless(text)
          return [titled(field.title), shown]
        }),
        screen,
      )
    },
  }
}

function columnOf<Item>({ title, text, column, isStatus }: Field<Item>, colors: Colors): Column<Item> {
  return {
    title: title.toUpperCase(),
    text: (item) => {
      const said = text(item) ?? ''
      return isStatus ? `${iconOf(said)} ${said}` : said
    },
    ...(isStatus ? { paint: (placed: string, item: Item) => painted(placed, text(item) ?? '', colors) } : {}),
    ...(column === 'right' ? { align: 'right' as const } : {}),
    ...(column === 'shrinks' ? { shrinks: true as const } : {}),
  }
}

function titled(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1)
}
