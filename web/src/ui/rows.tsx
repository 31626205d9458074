import type { ReactNode } from 'react'
import { cx } from './class-names.ts'

/** A small table that is there as a whole: a few rows on a page of many parts. */
export function Rows(props: {
  readonly label: string
  readonly head: readonly (string | readonly [string, 'right'])[]
  /** Widths as CSS has them; `auto` shares what is left. */
  readonly widths?: readonly string[]
  readonly rows: readonly (readonly [key: string, ...cells: readonly ReactNode[]])[]
}) {
  const titles = props.head.map((each) => (typeof each === 'string' ? ([each, 'left'] as const) : each))
  return (
    <table aria-label={props.label} className="w-full table-fixed">
      {props.widths !== undefined && (
        <colgroup>
          {props.widths.map((width, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are.
            <col key={i} style={{ width }} />
          ))}
        </colgroup>
      )}
      <thead>
        <tr className="text-ink-3 border-line h-7 border-b text-[12px]">
          {titles.map(([title, align]) => (
            <th
              key={title}
              scope="col"
              className={cx('pr-3 font-normal last:pr-0', align === 'right' ? 'text-right' : 'text-left')}
            >
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map(([key, ...cells]) => (
          <tr key={key} className="border-line h-[29px] border-b">
            {cells.map((cell, i) => (
              <td
                key={titles[i]?.[0]}
                className={cx('truncate pr-3 last:pr-0', titles[i]?.[1] === 'right' && 'text-right')}
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
