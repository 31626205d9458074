import type { IncrementalTaskState } from 'stint/client'
import { CloseIcon } from '../../../ui/icons.tsx'
import { JobLink } from '../../../ui/job-link.tsx'
import { JsonText } from '../../../ui/json.tsx'
import { numberText } from '../../../ui/number.tsx'
import { Facts } from '../../../ui/section.tsx'
import { progressText, TaskMark } from './task-table.tsx'

/** One task, with the state that its last slice gave back. */
export function TaskPane({ task, onClose }: { readonly task: IncrementalTaskState; readonly onClose: () => void }) {
  const { error } = task
  return (
    <aside
      aria-label={`Task ${task.index}`}
      className="border-line-strong w-[24rem] shrink-0 overflow-y-auto border-l px-4 pb-6 max-lg:w-72"
    >
      <h2 className="flex h-11 items-center justify-between">
        Task {task.index}
        <button type="button" onClick={onClose} aria-label="Close" className="text-ink-3 hover:text-ink p-1">
          <CloseIcon />
        </button>
      </h2>
      <Facts
        rows={[
          ['Status', <TaskMark key="status" task={task} />],
          ['Job', <JobLink key="job" job={task} />],
          ['Slices saved', numberText(task.slice)],
          ['Restarts', numberText(task.retries)],
          ['Failures in a row', numberText(task.sliceFailures)],
          ['Progress', progressText(task)],
          ...(error === null
            ? []
            : [
                [
                  'Error',
                  <span key="error" className="text-fail">
                    {error}
                  </span>,
                ] as const,
              ]),
        ]}
      />
      <h3 className="text-ink-3 mt-4 mb-1 text-[12px]">State</h3>
      <JsonText value={task.state} />
    </aside>
  )
}
