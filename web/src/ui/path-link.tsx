import { Link } from '@tanstack/react-router'
import { PathText } from './job-link.tsx'

/** The path of something other than a job, which leads to its page. */
export function PathLink(props: { readonly to: string; readonly id: string; readonly path: string }) {
  return (
    <Link
      to={`${props.to}/${encodeURIComponent(props.id)}`}
      search={{} as never}
      title={props.path}
      className="font-mono text-[12px] hover:underline"
    >
      <PathText path={props.path} />
    </Link>
  )
}
