import { useQuery } from '@tanstack/react-query'
import { CopyAsMenu } from '../../actions/copy-as-menu.tsx'
import { operate } from '../../actions/jobs.ts'
import { pauseBranch, resumeBranch } from '../../actions/pauses.ts'
import { pollMs } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { useUrlState } from '../../data/url-state.ts'
import { PageBody, PageHead } from '../../ui/section.tsx'

import { TreeBranch } from './tree-branch.tsx'

/** The names of all jobs as a tree, with what lives and what is over, and what can be done to a branch. */
export default function TreePage() {
  const [{ path = '', open = '' }, setUrl] = useUrlState()
  const { access } = useSession()
  // Nothing said: the roots are open, as long as they are few.
  const opened = open === '' && path === '' ? null : new Set([...open.split(','), ...ancestorsOf(path)])
  const { client } = useSession()
  // No entry of the log tells of pauses, so they are asked for.
  const pauses = useQuery({ queryKey: ['pauses'], queryFn: () => client.pauses.list(), refetchInterval: pollMs })
  const paused = new Map(pauses.data?.items.map((pause) => [pause.path ?? '', pause.reason]))
  const change = (paths: ReadonlySet<string>) =>
    setUrl({ open: [...paths].filter(Boolean).join(',') || 'none', path: '' })
  const branch = path === '' ? access.path : path
  return (
    <>
      <PageHead title="Tree" about="names of jobs, with what is below them">
        {branch !== null && branch !== '' && (
          <CopyAsMenu
            actions={[
              pauseBranch(branch),
              resumeBranch(branch),
              operate({ action: 'cancel', filter: { branch } }, `all below ${branch}`),
              operate({ action: 'retry', filter: { branch, outcome: 'FAILED' } }, `what failed below ${branch}`),
            ]}
          />
        )}
      </PageHead>
      <PageBody>
        <table className="w-full table-fixed" aria-label="Tree of names">
          <colgroup>
            <col />
            <col className="w-16" />
            <col className="w-16" />
            <col className="w-44 max-lg:hidden" />
            <col className="w-68 max-sm:hidden" />
          </colgroup>
          <thead>
            <tr className="text-ink-3 border-line-strong h-8 border-b text-[12px]">
              <th scope="col" className="text-left font-normal">
                Name
              </th>
              <th scope="col" className="text-right font-normal">
                Live
              </th>
              <th scope="col" className="text-right font-normal">
                Over
              </th>
              <th scope="col" className="pl-8 text-left font-normal max-lg:hidden">
                Done
              </th>
              <th scope="col" className="text-right font-normal max-sm:hidden">
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            <TreeBranch path={null} depth={0} opened={opened} change={change} paused={paused} marked={path} />
          </tbody>
        </table>
      </PageBody>
    </>
  )
}

/** The paths above one, and itself. */
function ancestorsOf(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '')
  return parts.map((_, i) => `/${parts.slice(0, i + 1).join('/')}`)
}
