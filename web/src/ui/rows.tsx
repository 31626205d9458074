import type { ReactNode } from 'react'
import { cx, hidden } from './class-names.ts'

/** What stands above a column, on which side, and below which width of the window it is left out. */
type Title = string | readonly [title: string, side: 'left' | 'right', from?: keyof typeof hidden]

/** A small table that is there as a whole: a few rows on a page of many parts. */
export function Rows(props: {
  readonly label: string
  readonly head: readonly Title[]
  /** Widths as CSS has them; `auto` shares what is left. */
  readonly widths?: readonly string[]
  readonly rows: readonly (readonly [key: string, ...cells: readonly ReactNode[]])[]
}) {
  const titles = props.head.map((each) => {
    const [title, side = 'left', from] = typeof each === 'string' ? [each] : each
    return { title, side: cx(side === 'right' ? 'text-right' : 'text-left', from && hidden[from]), from }
  })
  return (
    <table aria-label={props.label} className="w-full table-fixed">
      {props.widths !== undefined && (
        <colgroup>
          {props.widths.map((width, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are.
            <col key={i} className={titles[i]?.from && hidden[titles[i].from]} style={{ width }} />
          ))}
        </colgroup>
      )}
      <thead>
        <tr className="text-ink-3 border-line h-7 border-b text-[12px]">
          {titles.map(({ title, side }) => (
            <th key={title} scope="col" className={cx('pr-3 font-normal last:pr-0', side)}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(([key, ...cells]) => (
          <tr key={key} className="border-line h-[29px] border-b">
            {cells.map((cell, i) => (
              <td key={titles[i]?.title} className={cx('truncate pr-3 last:pr-0', titles[i]?.side)}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
