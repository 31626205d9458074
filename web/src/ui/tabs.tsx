import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useUrlState, withoutEmpty } from '../data/url-state.ts'
import { cx } from './class-names.ts'

export interface Tab {
  /** Stands in the address; empty for the first. */
  readonly value: string
  readonly label: string
  readonly count?: ReactNode
}

/** Links to parts of a page, which one of them stands in the address. */
export function Tabs(props: { readonly label: string; readonly name: string; readonly tabs: readonly Tab[] }) {
  const [search] = useUrlState()
  const current = search[props.name] ?? ''
  return (
    <nav aria-label={props.label} className="border-line-strong flex gap-5 overflow-x-auto border-b px-6">
      {props.tabs.map(({ value, label, count }) => (
        <Link
          key={value}
          to="."
          search={((before: Record<string, string>) => withoutEmpty({ ...before, [props.name]: value })) as never}
          aria-current={value === current ? 'page' : undefined}
          className={cx(
            '-mb-px flex h-8 items-center gap-1.5 border-b-2 whitespace-nowrap outline-offset-[-2px]',
            value === current ? 'border-ink font-semibold' : 'text-ink-2 hover:text-ink border-transparent',
          )}
        >
          {label}
          {count !== undefined && <span className="text-ink-3 font-normal">{count}</span>}
        </Link>
      ))}
    </nav>
  )
}
