import type { Screen, Terminal } from '../terminal.ts'
import { type Column, tableText } from './table.ts'

export const formats = ['table', 'json', 'jsonl', 'name'] as const

export type Format = (typeof formats)[number]

/** How one kind of thing is shown. */
export interface Shape<Item> {
  /** What the format `name` prints: what other commands take. */
  readonly name: (item: Item) => string
  /** What people read of one. */
  readonly sheet: (item: Item, screen: Screen) => string
  readonly columns: (screen: Screen) => readonly Column<Item>[]
  /** What people are told when there is none. */
  readonly none: string
}

type LineText<Item> = (item: Item, screen: Screen) => string

/** Prints data, the only thing that goes to `out`, in the format that was asked for. */
export class Printer {
  readonly #terminal: Terminal
  readonly format: Format

  constructor(terminal: Terminal, format: Format) {
    this.#terminal = terminal
    this.format = format
  }

  get isForPeople(): boolean {
    return this.format === 'table'
  }

  list<Item>(items: readonly Item[], shape: Shape<Item>): void {
    const { out, err } = this.#terminal
    if (this.isForPeople && items.length === 0) err.write(`${err.colors.dim(shape.none)}\n`)
    else out.write(this.#listText(items, shape))
  }

  #listText<Item>(items: readonly Item[], shape: Shape<Item>): string {
    const { out } = this.#terminal
    if (this.format === 'json') return `${JSON.stringify(items, null, 2)}\n`
    if (this.isForPeople) return tableText(items, shape.columns(out), out)
    return items.map((item) => this.#line(item, shape)).join('')
  }

  /** A list of which people get a line each. */
  lines<Item>(items: readonly Item[], shape: Pick<Shape<Item>, 'name'>, text: LineText<Item>): void {
    if (this.format === 'json') this.#terminal.out.write(`${JSON.stringify(items, null, 2)}\n`)
    else for (const item of items) this.item(item, shape, text)
  }

  /** One more item of a list that has no end. */
  item<Item>(item: Item, shape: Pick<Shape<Item>, 'name'>, text: LineText<Item>): void {
    const { out } = this.#terminal
    out.write(this.isForPeople ? `${text(item, out)}\n` : this.#line(item, shape))
  }

  /** One thing. What belongs to it but is not part of it (`more`) is shown to programs, too. */
  one<Item>(item: Item, shape: Pick<Shape<Item>, 'name' | 'sheet'>, more: object = {}): void {
    const { out } = this.#terminal
    const all = { ...item, ...more }
    if (this.isForPeople) out.write(shape.sheet(item, out))
    else out.write(this.format === 'json' ? `${JSON.stringify(all, null, 2)}\n` : this.#line(all, shape))
  }

  #line<Item>(item: Item, { name }: Pick<Shape<Item>, 'name'>): string {
    return this.format === 'name' ? `${name(item)}\n` : `${JSON.stringify(item)}\n`
  }
}
