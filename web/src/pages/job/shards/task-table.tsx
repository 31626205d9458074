import type { IncrementalTaskState } from 'stint/client'
import { numberText } from '../../../ui/number.tsx'
import { Mark, type Tone } from '../../../ui/status.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
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
  readonly onSelect: (task: IncrementalTaskState) => void
}) {
  return (
    <DataTable
      label="Tasks"
      columns={columns}
      rows={props.tasks}
      keyOf={({ id }) => id}
      onOpen={props.onSelect}
      foot={props.tasks.length === 0 && <p className="text-ink-3 px-6 py-3">No task fits.</p>}
    />
  )
}
