import type { JobView } from '../../engine/job-view.ts'
import type { Colors } from '../terminal.ts'

/** What people call the state of a job: its status, or how it ended. */
export function statusOf({ status, outcome }: Pick<JobView, 'status' | 'outcome'>): string {
  return status ?? outcome ?? 'OVER'
}

type Look = { readonly icon: string; readonly color: 'green' | 'red' | 'cyan' | 'yellow' | 'dim' }

const looks: Readonly<Record<string, Look>> = {
  COMPLETED: { icon: '✔', color: 'green' },
  DONE: { icon: '✔', color: 'green' },
  FILLED: { icon: '✔', color: 'green' },
  ENABLED: { icon: '✔', color: 'green' },
  ACTIVE: { icon: '✔', color: 'green' },
  FAILED: { icon: '✖', color: 'red' },
  ERROR: { icon: '✖', color: 'red' },
  PARTIAL: { icon: '✖', color: 'red' },
  RUNNING: { icon: '●', color: 'cyan' },
  SKIPPED: { icon: '↷', color: 'yellow' },
  CANCELLED: { icon: '■', color: 'yellow' },
  ABORTED: { icon: '■', color: 'yellow' },
  DISABLED: { icon: '■', color: 'yellow' },
  ARCHIVED: { icon: '■', color: 'yellow' },
}

/** Every state has a sign, a word and a colour: nobody depends on one of them alone. */
export function iconOf(status: string): string {
  return looks[status]?.icon ?? '○'
}

export function painted(text: string, status: string, colors: Colors): string {
  return colors[looks[status]?.color ?? 'dim'](text)
}

export function statusText(status: string, colors: Colors): string {
  return painted(`${iconOf(status)} ${status}`, status, colors)
}
