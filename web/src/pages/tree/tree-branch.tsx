import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TreeNode } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { operate } from '../../actions/jobs.ts'
import { pauseBranch, resumeBranch } from '../../actions/pauses.ts'
import { useEntries } from '../../data/live-context.tsx'
import { useThrottled } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { cx } from '../../ui/class-names.ts'
import { ChevronIcon, PausedIcon } from '../../ui/icons.tsx'
import { cappedText } from '../../ui/number.tsx'
import { Empty, Failure } from '../../ui/states.tsx'

export interface BranchProps {
  /** Null for the roots. */
  readonly path: string | null
  readonly depth: number
  /** Null where nobody has said: the roots, if they are few. */
  readonly opened: ReadonlySet<string> | null
  readonly change: (opened: ReadonlySet<string>) => void
  /** Why branches are paused, by path. */
  readonly paused: ReadonlyMap<string, string | null>
  readonly marked: string
}

const rootMax = 12

const snippet = "await stint.submit(render, { day }, { name: '/reports/daily/render' })"

/** What is directly below a path, page by page, and below that what is open. */
export function TreeBranch(props: BranchProps) {
  const { path, depth } = props
  const { client } = useSession()
  const branch = useInfiniteQuery({
    queryKey: ['tree', path],
    queryFn: ({ pageParam }) => client.tree({ ...(path === null ? {} : { path }), cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
  })
  const again = useThrottled(() => void branch.refetch(), 3_000)
  useEntries(again)
  const nodes = branch.data?.pages.flatMap(({ items }) => items) ?? []
  const opened = props.opened ?? new Set(nodes.length <= rootMax ? nodes.map((node) => node.path) : [])
  if (branch.error !== null && nodes.length === 0) {
    return (
      <Whole>
        <Failure error={branch.error} retry={() => void branch.refetch()} />
      </Whole>
    )
  }
  if (branch.data === undefined) {
    return (
      <Whole>
        <span className="text-ink-3 fade-late">Reading …</span>
      </Whole>
    )
  }
  if (nodes.length === 0 && path === null) {
    return (
      <Whole>
        <Empty title="No jobs yet." snippet={snippet}>
          Names of jobs are paths, and make a tree. Pause, cancel or run again what is below any of them.
        </Empty>
      </Whole>
    )
  }
  return (
    <>
      {nodes.map((node) => (
        <TreeRow key={node.path} {...props} node={node} opened={opened} />
      ))}
      {branch.hasNextPage && (
        <Whole>
          <button
            type="button"
            className="text-ink-2 underline"
            style={{ marginLeft: depth * 18 + 20 }}
            onClick={() => void branch.fetchNextPage()}
          >
            More
          </button>
        </Whole>
      )}
    </>
  )
}

function Whole({ children }: { readonly children: React.ReactNode }) {
  return (
    <tr>
      <td colSpan={5} className="py-1.5">
        {children}
      </td>
    </tr>
  )
}

function TreeRow(props: BranchProps & { readonly node: TreeNode; readonly opened: ReadonlySet<string> }) {
  const { node, depth, opened, change, paused, marked } = props
  const isOpen = opened.has(node.path)
  const name = node.path.slice(node.path.lastIndexOf('/') + 1)
  const isPaused = paused.has(node.path)
  const toggle = () => {
    const next = new Set(opened)
    if (!next.delete(node.path)) next.add(node.path)
    change(next)
  }
  return (
    <>
      <tr className={cx('border-line group hover:bg-panel h-[30px] border-b', node.path === marked && 'bg-accent/10')}>
        <td className="truncate">
          <span className="flex items-center gap-1" style={{ paddingLeft: depth * 18 }}>
            <button
              type="button"
              aria-expanded={isOpen}
              aria-label={`${isOpen ? 'Close' : 'Open'} ${node.path}`}
              onClick={toggle}
              className={cx(
                'text-ink-3 p-0.5 transition-transform',
                isOpen && 'rotate-90',
                !node.branch && 'invisible',
              )}
            >
              <ChevronIcon size={12} />
            </button>
            <Link
              to="/jobs"
              search={{ q: `name:${/\s/.test(node.path) ? `"${node.path}"` : node.path}` } as never}
              className={cx('truncate font-mono text-[12px] hover:underline', !node.job && 'text-ink-2')}
              title={node.path}
            >
              {depth === 0 ? `/${name}` : name}
            </Link>
            {isPaused && (
              <span
                className="text-warn ml-2 inline-flex items-center gap-1 text-[12px]"
                title={paused.get(node.path) ?? ''}
              >
                <PausedIcon size={12} /> paused
              </span>
            )}
          </span>
        </td>
        <td className={cx('text-right', node.live.count === 0 && 'text-ink-3')}>{cappedText(node.live)}</td>
        <td className={cx('text-right', node.finished.count === 0 && 'text-ink-3')}>{cappedText(node.finished)}</td>
        <td className="pl-8 max-lg:hidden">
          <Share node={node} />
        </td>
        <td className="text-right whitespace-nowrap max-sm:hidden">
          <span className="revealed">
            <BranchActions node={node} isPaused={isPaused} />
          </span>
        </td>
      </tr>
      {isOpen && node.branch && <TreeBranch {...props} path={node.path} depth={depth + 1} />}
    </>
  )
}

function BranchActions({ node: { path, live }, isPaused }: { readonly node: TreeNode; readonly isPaused: boolean }) {
  const cancel = { ...operate({ action: 'cancel', filter: { branch: path } }, `all below ${path}`), label: 'Cancel' }
  const retry = {
    ...operate({ action: 'retry', filter: { branch: path, outcome: 'FAILED' } }, `what failed below ${path}`),
    label: 'Run failed again',
  }
  return (
    <>
      <ActionButton kind="quiet" action={isPaused ? resumeBranch(path) : pauseBranch(path)} />
      <ActionButton
        kind="quiet"
        action={retry}
        confirm={
          <p>
            Every job at or below <code>{path}</code> that failed for good runs again, as a new job, in the background.
          </p>
        }
      />
      <ActionButton
        kind="quiet"
        action={cancel}
        confirm={
          <p>
            All {cappedText(live)} live jobs at or below <code>{path}</code> are cancelled, in the background.
          </p>
        }
      />
    </>
  )
}

/** How much of what is there is over. */
function Share({ node: { live, finished } }: { readonly node: TreeNode }) {
  const all = live.count + finished.count
  const share = all === 0 ? 0 : finished.count / all
  return (
    <span className="bg-run/25 block h-1 w-32" role="img" aria-label={`${Math.round(share * 100)} percent are over`}>
      <span className="bg-ok/70 block h-full" style={{ width: `${share * 100}%` }} />
    </span>
  )
}
