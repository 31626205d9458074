import type { ReactNode } from 'react'
import { cx } from './class-names.ts'
import { PathText } from './job-link.tsx'

/** A heading on a hairline, and what belongs to it. */
export function Section(props: {
  readonly title: string
  readonly aside?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <section className={cx('min-w-0', props.className)} aria-label={props.title}>
      <header className="flex h-8 items-center justify-between gap-4 border-b border-line-strong">
        <h2>{props.title}</h2>
        <div className="text-ink-3 flex items-center gap-3 text-[12px]">{props.aside}</div>
      </header>
      {props.children}
    </section>
  )
}

/** The first line of a page: what it is, and what can be done. */
export function PageHead(props: {
  readonly title: ReactNode
  readonly about?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-6 gap-y-2 px-6 pt-4 pb-3">
      <div className="flex min-w-0 items-baseline gap-3">
        <h1 className="truncate">{props.title}</h1>
        {props.about !== undefined && <p className="text-ink-3 truncate">{props.about}</p>}
      </div>
      <div className="flex flex-wrap items-center gap-2">{props.children}</div>
    </header>
  )
}

/** The title of a page that is of one thing with a path. */
export function PathTitle({ path }: { readonly path: string }) {
  return (
    <span className="font-mono text-[15px] font-normal" title={path}>
      <PathText path={path} />
    </span>
  )
}

/** What scrolls, on pages that are not one table. */
export function PageBody({ children }: { readonly children: ReactNode }) {
  return <div className="min-h-0 flex-1 overflow-y-auto px-6 pb-10">{children}</div>
}

/** Names and what they stand for, aligned. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-6">
      {rows.map(([name, value]) => (
        <div key={name} className="border-line col-span-2 grid grid-cols-subgrid border-b py-1.5">
          <dt className="text-ink-3">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
