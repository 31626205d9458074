import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { IncrementalTaskState, JobView, ShardedJobState } from 'stint/client'
import { ActionButton } from '../../../actions/action-button.tsx'
import { retryShards } from '../../../actions/jobs.ts'
import { addressOf } from '../../../data/ids.ts'
import { useSession } from '../../../data/session.tsx'
import { useUrlState } from '../../../data/url-state.ts'
import { Button } from '../../../ui/button.tsx'
import { cx } from '../../../ui/class-names.ts'
import { numberText } from '../../../ui/number.tsx'
import { Empty, Failure, Loading } from '../../../ui/states.tsx'
import { durationText } from '../../../ui/time-text.ts'
import { HeatGrid } from './heat-grid.tsx'
import { TaskPane } from './task-pane.tsx'
import { TaskTable } from './task-table.tsx'
import { type TaskSelection, useSelection } from './use-selection.ts'
import { standingOfTask, type TaskStanding, useTasks } from './use-tasks.ts'

const snippet = `const reindex = defineShardedJob('reindex', {
  plan: ({ params }) => splitIntoRanges(params.table, 64),
  slice: async ({ state, slice }) => ({ state, done: true }),
})`

/** Its tasks: how far each is, what went wrong, and what of it is run again. */
export default function ShardsTab({ job }: { readonly job: JobView }) {
  const { client } = useSession()
  const tasks = useTasks(job)
  const whole = useQuery({
    queryKey: ['job', job.id, 'shards'],
    queryFn: () => client.shards.get(job),
    enabled: (tasks.data?.length ?? 0) > 0,
    refetchInterval: job.state === 'final' ? false : 2_000,
  })
  if (tasks.error !== null && tasks.data === undefined) {
    return (
      <div className="px-6">
        <Failure error={tasks.error} retry={() => void tasks.refetch()} />
      </div>
    )
  }
  if (tasks.data === undefined) {
    return (
      <div className="px-6">
        <Loading />
      </div>
    )
  }
  if (tasks.data.length === 0) {
    return (
      <div className="px-6">
        <Empty title="This job is not split into tasks, or not yet." snippet={snippet}>
          A sharded job is planned as many tasks that all workers share, and each of them is a cell here:
        </Empty>
      </div>
    )
  }
  return <Shards key={job.id} job={job} tasks={tasks.data} whole={whole.data ?? null} />
}

const filters: readonly (readonly [string, string, (standing: TaskStanding) => boolean])[] = [
  ['', 'All', () => true],
  ['open', 'Not done', (standing) => standing !== 'done'],
  ['failed', 'Failed', (standing) => standing === 'failed'],
  ['running', 'Running', (standing) => standing === 'running'],
]

function Shards(props: {
  readonly job: JobView
  readonly tasks: readonly IncrementalTaskState[]
  readonly whole: ShardedJobState | null
}) {
  const { job, tasks, whole } = props
  const { may } = useSession()
  const [{ show = '', task }, setUrl] = useUrlState()
  const index = task === undefined ? null : Number(task)
  const selection = useSelection()
  const selectable = job.state === 'final' && may('submit') ? { selection } : {}
  const chosen = filters.find(([value]) => value === show) ?? filters[0]
  const rows = tasks.filter((each) => chosen?.[2](standingOfTask(each)))
  const shown = index === null ? undefined : tasks[index]
  const onShow = (of: number) => setUrl({ task: String(of) })
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-5 gap-y-1 px-6 py-2">
          <Totals tasks={tasks} whole={job.state === 'final' ? null : whole} />
          {job.state === 'final' && <RunAgain {...{ job, tasks, selection }} />}
        </div>
        <div className="max-h-[45%] overflow-y-auto px-6">
          <HeatGrid tasks={tasks} shown={index} onShow={onShow} {...selectable} />
        </div>
        <ul aria-label="Which tasks" className="flex h-10 shrink-0 items-center gap-4 px-6">
          {filters.map(([value, label, fits]) => (
            <li key={value}>
              <button
                type="button"
                aria-pressed={show === value}
                onClick={() => setUrl({ show: value })}
                className={cx(show === value ? 'border-ink border-b font-semibold' : 'text-ink-2 hover:text-ink')}
              >
                {label}{' '}
                <span className="text-ink-3 font-normal">
                  {tasks.filter((each) => fits(standingOfTask(each))).length}
                </span>
              </button>
            </li>
          ))}
        </ul>
        <TaskTable tasks={rows} onShow={(each) => onShow(each.index)} {...selectable} />
      </div>
      {shown !== undefined && <TaskPane task={shown} onClose={() => setUrl({ task: '' })} />}
    </div>
  )
}

/** What is not done runs again in any case: the new job could not end well without it. */
function RunAgain(props: {
  readonly job: JobView
  readonly tasks: readonly IncrementalTaskState[]
  readonly selection: TaskSelection
}) {
  const { job, tasks, selection } = props
  const navigate = useNavigate()
  const indexes = [...selection.indexes].sort((a, b) => a - b)
  const open = tasks.filter(({ index, status }) => status !== 'DONE' && !selection.indexes.has(index)).length
  if (open === 0 && indexes.length === 0) return null
  const what = [
    ...(indexes.length === 0 ? [] : [`the ${numberText(indexes.length)} selected`]),
    ...(open === 0 ? [] : [`the ${numberText(open)} that ${open === 1 ? 'was' : 'were'} not done`]),
  ]
  return (
    <span className="flex items-center gap-2">
      {indexes.length > 0 && (
        <Button kind="quiet" onClick={() => selection.set([])}>
          Clear
        </Button>
      )}
      <ActionButton
        action={retryShards(job, { open, indexes })}
        confirm={<p>Of the tasks, a new job runs {what.join(', and ')}. The others keep their states.</p>}
        onDone={({ id }) => void navigate({ to: '/jobs/$job', params: { job: addressOf(id) } as never })}
      />
    </span>
  )
}

function Totals({
  tasks,
  whole,
}: {
  readonly tasks: readonly IncrementalTaskState[]
  readonly whole: ShardedJobState | null
}) {
  const failed = tasks.filter(({ status }) => status === 'ERROR').length
  const done = tasks.filter(({ status }) => status === 'DONE').length
  return (
    <p className="flex flex-wrap gap-x-5">
      <span>
        <span className="font-semibold">{numberText(done)}</span> of {numberText(tasks.length)} done
      </span>
      {failed > 0 && <span className="text-fail">{numberText(failed)} failed</span>}
      {whole !== null && whole.ratePerSecond !== null && (
        <span className="text-ink-2">{numberText(Math.round(whole.ratePerSecond))} a second</span>
      )}
      {whole !== null && whole.timeLeftMs !== null && (
        <span className="text-ink-2">about {durationText(whole.timeLeftMs)} left</span>
      )}
    </p>
  )
}
