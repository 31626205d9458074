import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { cx, hidden } from './class-names.ts'

export interface Column<Row> {
  readonly title: string
  /** As CSS has it; without one it shares what is left with others that have none. */
  readonly width?: string
  readonly align?: 'right'
  /** Left out where there is no room: below so many pixels of width. */
  readonly from?: keyof typeof hidden
  readonly cell: (row: Row) => ReactNode
}

export interface Selection {
  readonly keys: ReadonlySet<string>
  change(keys: ReadonlySet<string>): void
}

export interface TableProps<Row> {
  /** What the rows are, for those who hear it. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Enter, or a click beside all links. */
  readonly onOpen?: (row: Row) => void
  readonly selection?: Selection
  /** Is called when the last rows come into sight. */
  readonly onEnd?: () => void
  /** Stands below the last row. */
  readonly foot?: ReactNode
  /** Rows that have just changed. */
  readonly changed?: ReadonlySet<string>
  readonly className?: string
}

export const rowHeight = 30

/**
 * Rows of which only those in sight are there, however many there are. It is a table of the browser, with empty rows for what is
 * above and below. j and k, arrows, Home and End move; Enter opens; x selects.
 */
export function DataTable<Row>(props: TableProps<Row>) {
  const { columns, rows, keyOf, selection, onEnd } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  /** The row that gets the focus as soon as it is there. */
  const wanted = useRef<number | null>(null)
  const isFocused = useRef(false)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)
  useEffect(() => {
    if (last !== undefined && last.index >= rows.length - 20) onEnd?.()
  }, [last, rows.length, onEnd])

  const move = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to))
    setAt(next)
    virtual.scrollToIndex(next)
    // One that is in sight at once: the next key may come before the next frame. Others when they are drawn.
    wanted.current = focusRow(scroller.current, next) ? null : next
  }
  useLayoutEffect(() => {
    const all = scroller.current
    // A row that is scrolled out of sight would take the focus along, and the next key would be for nobody: it is kept for it.
    if (isFocused.current && document.activeElement === document.body) all?.focus({ preventScroll: true })
    if (wanted.current !== null && focusRow(all, wanted.current)) wanted.current = null
    if (all !== null && document.activeElement === all) focusRow(all, at, { preventScroll: true })
  })
  const toggle = (key: string) => {
    if (selection === undefined) return
    const keys = new Set(selection.keys)
    if (!keys.delete(key)) keys.add(key)
    selection.change(keys)
  }
  const onKey = (event: KeyboardEvent<HTMLDivElement>) => {
    const row = rows[at]
    if (row === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    if (!(event.target instanceof HTMLTableRowElement) && event.target !== scroller.current) return
    const steps: Readonly<Record<string, () => void>> = {
      j: () => move(at + 1),
      ArrowDown: () => move(at + 1),
      k: () => move(at - 1),
      ArrowUp: () => move(at - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      Enter: () => props.onOpen?.(row),
      x: () => toggle(keyOf(row)),
    }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    step()
  }
  const before = items[0]?.start ?? 0
  const after = last === undefined ? 0 : virtual.getTotalSize() - last.end
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys are for its rows; it has the focus while theirs is out of sight.
    <div
      ref={scroller}
      tabIndex={-1}
      className={cx('min-h-0 flex-1 overflow-auto outline-none', props.className)}
      onKeyDown={onKey}
      onFocus={() => {
        isFocused.current = true
      }}
      onBlur={() => {
        isFocused.current = false
      }}
    >
      <table className="w-full table-fixed border-separate border-spacing-0" aria-label={props.label}>
        <Widths columns={columns} isSelectable={selection !== undefined} />
        <thead className="bg-paper sticky top-0 z-10">
          <tr className="text-ink-3 h-8 text-left text-[12px]">
            {selection !== undefined && <SelectAll {...{ rows, keyOf, selection }} />}
            {columns.map(({ title, align, from }) => (
              <th
                key={title}
                scope="col"
                className={cx(
                  'border-line-strong border-b px-2 font-normal first:pl-6 last:pr-6',
                  align === 'right' && 'text-right',
                  from && hidden[from],
                )}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={before} />
          {items.map(({ index }) => {
            const row = rows[index]
            if (row === undefined) return null
            const key = keyOf(row)
            return (
              <TableRow
                key={key}
                {...{ row, index, columns, toggle, selection }}
                rowKey={key}
                isCurrent={index === Math.min(at, rows.length - 1)}
                isChanged={props.changed?.has(key) ?? false}
                onFocus={() => setAt(index)}
                {...(props.onOpen === undefined ? {} : { onOpen: props.onOpen })}
              />
            )
          })}
          <Space height={after} />
        </tbody>
      </table>
      {props.foot}
    </div>
  )
}

function focusRow(scroller: HTMLElement | null, index: number, options?: FocusOptions): boolean {
  const row = scroller?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  row?.focus(options)
  return row !== undefined && row !== null
}

function Widths<Row>({ columns, isSelectable }: { columns: readonly Column<Row>[]; isSelectable: boolean }) {
  return (
    <colgroup>
      {isSelectable && <col className="w-10" />}
      {columns.map(({ title, width, from }) => (
        <col key={title} className={from && hidden[from]} {...(width === undefined ? {} : { style: { width } })} />
      ))}
    </colgroup>
  )
}

function Space({ height }: { readonly height: number }) {
  return height <= 0 ? null : <tr aria-hidden="true" style={{ height }} />
}

function SelectAll<Row>(props: {
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly selection: Selection
}) {
  const { rows, keyOf, selection } = props
  const isAll = rows.length > 0 && rows.every((row) => selection.keys.has(keyOf(row)))
  return (
    <th scope="col" className="border-line-strong border-b pl-6">
      <input
        type="checkbox"
        aria-label="Select all rows that are loaded"
        className="block size-3.5 accent-accent"
        checked={isAll}
        onChange={() => selection.change(new Set(isAll ? [] : rows.map(keyOf)))}
      />
    </th>
  )
}

interface RowProps<Row> {
  readonly row: Row
  readonly rowKey: string
  readonly index: number
  readonly columns: readonly Column<Row>[]
  readonly selection: Selection | undefined
  readonly isCurrent: boolean
  readonly isChanged: boolean
  readonly onFocus: () => void
  readonly toggle: (key: string) => void
  readonly onOpen?: (row: Row) => void
}

function TableRow<Row>(props: RowProps<Row>) {
  const { row, rowKey, index, columns, selection, isCurrent, isChanged, onOpen } = props
  const isSelected = selection?.keys.has(rowKey) ?? false
  return (
    <tr
      data-index={index}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={props.onFocus}
      onClick={(event) => {
        // What is pressed or marked in a row is not the row.
        const isOther = (event.target as HTMLElement).closest('a, button, input') !== null
        if (!isOther && getSelection()?.isCollapsed !== false) onOpen?.(row)
      }}
      className={cx(
        'group h-[30px] outline-offset-[-2px]',
        onOpen !== undefined && 'cursor-default hover:bg-panel',
        isSelected && 'bg-accent/10',
        isChanged && 'changed',
      )}
    >
      {selection !== undefined && (
        <td className="border-line border-b pl-6">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label="Select row"
            className="block size-3.5 accent-accent"
            checked={isSelected}
            onChange={() => props.toggle(rowKey)}
          />
        </td>
      )}
      {columns.map(({ title, align, from, cell }) => (
        <td
          key={title}
          className={cx(
            'border-line truncate border-b px-2 first:pl-6 last:pr-6',
            align === 'right' && 'text-right',
            from && hidden[from],
          )}
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  )
}
