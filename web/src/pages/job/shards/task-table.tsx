import type { IncrementalTaskState } from 'stint/client'
import { numberText } from '../../../ui/number.tsx'
import { Mark, type Tone } from '../../../ui/status.tsx'
import { type Column, DataTable, type Selection } from '../../../ui/table.tsx'
import type { TaskSelection } from './use-selection.ts'
import { standingOfTask, type TaskStanding } from './use-tasks.ts'

const faces: Readonly<Record<TaskStanding, readonly [Tone, string]>> = {
  waiting: ['ink', 'Waiting'],
  running: ['run', 'Running'],
  done: ['ok', 'Done'],
  failed: ['fail', 'Failed'],
  aborted: ['warn', 'Aborted'],
}

export function TaskMark({ task }: { readonly task: IncrementalTaskState }) {
  const [tone, label] = faces[standingOfTask(task)]
  return <Mark tone={tone}>{label}</Mark>
}

/** A task that is done has done all of what it told last. */
export function progressText({ progress, status }: IncrementalTaskState): string {
  if (progress === null) return '–'
  const [done, total] = progress
  return `${numberText(status === 'DONE' ? total : done)} of ${numberText(total)}`
}

const columns: readonly Column<IncrementalTaskState>[] = [
  { title: 'Task', width: '5rem', align: 'right', cell: ({ index }) => index },
  { title: 'Status', width: '7rem', cell: (task) => <TaskMark task={task} /> },
  { title: 'Slices', width: '5rem', align: 'right', cell: ({ slice }) => numberText(slice) },
  { title: 'Restarts', width: '5rem', align: 'right', from: 'lg', cell: ({ retries }) => numberText(retries) },
  {
    title: 'Progress',
    width: '9rem',
    align: 'right',
    cell: progressText,
  },
  { title: 'Error', cell: ({ error }) => <span className="text-fail">{error}</span> },
]

export function TaskTable(props: {
  readonly tasks: readonly IncrementalTaskState[]
  readonly onShow: (task: IncrementalTaskState) => void
  readonly selection?: TaskSelection
}) {
  const { selection } = props
  return (
    <DataTable
      label="Tasks"
      columns={columns}
      rows={props.tasks}
      keyOf={({ index }) => String(index)}
      onOpen={props.onShow}
      {...(selection === undefined ? {} : { selection: rowsOf(selection) })}
      foot={props.tasks.length === 0 && <p className="text-ink-3 px-6 py-3">No task fits.</p>}
    />
  )
}

function rowsOf({ indexes, set }: TaskSelection): Selection {
  return { keys: new Set([...indexes].map(String)), change: (keys) => set([...keys].map(Number)) }
}
