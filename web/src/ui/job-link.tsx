import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { addressOf } from '../data/ids.ts'
import { cx } from './class-names.ts'

/** The name of a job, with what it shares with its neighbours said more quietly. */
export function JobLink(props: {
  readonly job: { readonly id: string; readonly name: string }
  readonly className?: string
  readonly children?: ReactNode
}) {
  const { job, className } = props
  return (
    <Link
      to="/jobs/$job"
      params={{ job: addressOf(job.id) } as never}
      title={job.name}
      className={cx('font-mono text-[12px] hover:underline', className)}
    >
      {props.children ?? <PathText path={job.name} />}
    </Link>
  )
}

/** Where there is no room for all of it the beginning goes, as in text that is written to the left: the end tells two apart. */
export function PathText({ path }: { readonly path: string }) {
  const cut = path.lastIndexOf('/') + 1
  // What is cut off has no line to stand on, so it is put there: a line of this font has so much below.
  return (
    <span dir="rtl" className="inline-block max-w-full truncate text-left align-[-0.35em]">
      <bdi dir="ltr">
        <span className="text-ink-3">{path.slice(0, cut)}</span>
        {path.slice(cut)}
      </bdi>
    </span>
  )
}
