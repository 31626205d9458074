import type { Client } from '../../client/client.ts'
import { JobName } from '../../core/names/job-name.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { CappedCount, TreeNode } from '../../store/store.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { placeOf } from '../names.ts'
import { cut, harmless, padded, widthOf } from '../output/text.ts'
import { iconOf, painted, statusOf } from '../shapes/status.ts'
import type { Screen } from '../terminal.ts'
import { count } from '../values.ts'
import { lookAtJob } from '../watch/watched.ts'
import { barText } from '../watch/watched-text.ts'

/** A name of the tree, with its job if there is one, and what is below it as far as it was looked at. */
interface Branch {
  readonly path: string
  readonly live: CappedCount
  readonly finished: CappedCount
  readonly job: JobView | null
  readonly progress: { readonly done: number; readonly total: number | null } | null
  readonly children: readonly Branch[]
  /** How many children were left out. */
  readonly hasMore: boolean
}

export const tree = command({
  name: 'tree',
  summary: 'Draws the tree of names, with states and the progress of each branch.',
  needs: 'server',
  prints: true,
  args: { path: { about: 'Where to begin. Default all namespaces.', optional: true, complete: 'job' } },
  options: {
    depth: { short: 'd', value: count(1, 16), about: 'How many levels. Default 3.' },
    limit: { value: count(1, 1_000), about: 'At most this many children of each. Default 20.' },
  },
  examples: [
    ['stint tree', 'All namespaces.'],
    ['stint tree /reports --depth 5', 'One branch, deeper.'],
  ],
  run: async (call) => {
    const client = await call.client()
    const { depth = 3, limit = 20 } = call.options
    const path = placeOf(call, call.args.path)
    const branches = await childrenOf(client, path, depth, limit)
    const root = path === null ? null : await jobAt(client, path)
    if (path !== null && branches.children.length === 0 && root?.job == null) {
      throw new Failure('notFound', `There is nothing at ${path}.`, 'See what there is: stint tree.')
    }
    if (call.print.isForPeople) {
      const { out, err } = call.terminal
      out.write(`${[rootText(path ?? '/', root, out), ...treeLines(branches, out)].join('\n')}\n`)
      if (branches.children.length === 0 && root === null) call.say(err.colors.dim('No jobs.'))
      return
    }
    call.print.list(flat(branches.children), {
      name: ({ path: each }) => each,
      none: '',
      columns: () => [],
      sheet: () => '',
    })
  },
})

async function childrenOf(
  client: Client,
  path: string | null,
  depth: number,
  limit: number,
): Promise<Pick<Branch, 'children' | 'hasMore'>> {
  const { items, cursor } = await client.tree({ limit, ...(path === null ? {} : { path }) })
  const shown = items.filter((node) => path !== null || node.path !== '/~stint')
  const children = await Promise.all(shown.map((node) => branchAt(client, node, depth - 1, limit)))
  return { children, hasMore: cursor !== null }
}

async function branchAt(client: Client, node: TreeNode, depth: number, limit: number): Promise<Branch> {
  const { path, live, finished } = node
  const own = node.job ? await jobAt(client, path) : { job: null, progress: null }
  const below =
    node.branch && depth > 0 ? await childrenOf(client, path, depth, limit) : { children: [], hasMore: node.branch }
  return { path, live, finished, ...own, ...below }
}

/** The job of a name, if there is one, and how far it is. */
async function jobAt(client: Client, path: string): Promise<Pick<Branch, 'job' | 'progress'>> {
  const job = await client.jobs.get(path)
  const progress = job?.status === 'RUNNING' ? ((await lookAtJob(client, job.id)())?.progress ?? null) : null
  return { job, progress }
}

function flat(branches: readonly Branch[]): readonly Omit<Branch, 'children'>[] {
  return branches.flatMap(({ children, ...branch }) => [branch, ...flat(children)])
}

interface Line {
  readonly lead: string
  readonly branch: Branch
}

function rootText(path: string, root: Pick<Branch, 'job' | 'progress'> | null, screen: Screen): string {
  const name = screen.colors.bold(harmless(path))
  return root?.job == null ? name : [name, ...ownTexts(root, screen)].join('  ')
}

function treeLines({ children, hasMore }: Pick<Branch, 'children' | 'hasMore'>, screen: Screen): readonly string[] {
  const lines = linesOf(children, hasMore, '')
  const widest = Math.max(0, ...lines.map(({ lead, branch }) => widthOf(lead) + widthOf(labelOf(branch))))
  const width = Math.min(widest, Number.isFinite(screen.columns) ? Math.floor(screen.columns * 0.6) : widest)
  return lines.map(({ lead, branch }) => {
    const label = padded(cut(labelOf(branch), width - widthOf(lead)), width - widthOf(lead))
    return `${screen.colors.dim(lead)}${isMore(branch) ? screen.colors.dim(label) : label}  ${stateText(branch, screen)}`.trimEnd()
  })
}

/** The path of the line that stands for what is left out. */
const more = '…'

function isMore({ path }: Branch): boolean {
  return path === more
}

function linesOf(branches: readonly Branch[], hasMore: boolean, indent: string): readonly Line[] {
  const none = { count: 0, more: false }
  const rest: Branch = {
    path: more,
    live: none,
    finished: none,
    job: null,
    progress: null,
    children: [],
    hasMore: false,
  }
  const all = hasMore ? [...branches, rest] : branches
  return all.flatMap((branch, i) => {
    const isLast = i === all.length - 1
    const below = linesOf(branch.children, branch.hasMore, `${indent}${isLast ? '   ' : '│  '}`)
    return [{ lead: `${indent}${isLast ? '└─ ' : '├─ '}`, branch }, ...below]
  })
}

function labelOf({ path }: Branch): string {
  return path === more ? more : harmless(JobName.parse(path).name)
}

/** The state of the job itself; for what has jobs below it, how many of them have ended. */
function stateText(branch: Branch, screen: Screen): string {
  const { job, live, finished, progress } = branch
  if (isMore(branch)) return ''
  const total = live.count + finished.count
  // The tasks of a sharded job are counted with it, but not all of them are there yet: its progress says more.
  const isBranch = job === null || (total > 1 && progress?.total == null)
  const all = countText({ count: total, more: live.more || finished.more })
  const counts = `${barText(finished.count, total)} ${countText(finished)} of ${all} ended`
  return [...ownTexts(branch, screen), ...(isBranch ? [screen.colors.dim(counts)] : [])].join('  ')
}

/** The status of a job, and how far it is if it says so. */
function ownTexts({ job, progress }: Pick<Branch, 'job' | 'progress'>, { colors }: Screen): readonly string[] {
  const status = job === null ? [] : [painted(`${iconOf(statusOf(job))} ${statusOf(job)}`, statusOf(job), colors)]
  if (progress === null || progress.total === null) return status
  const percent = Math.floor((progress.done * 100) / progress.total)
  return [...status, colors.cyan(`${barText(progress.done, progress.total)} ${percent} %`)]
}

function countText({ count: number, more: hasMore }: CappedCount): string {
  return `${number.toLocaleString('en')}${hasMore ? '+' : ''}`
}
