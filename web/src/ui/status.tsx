import type { JobView } from 'stint/client'
import { cx } from './class-names.ts'
import {
  AwaitingIcon,
  CancelledIcon,
  CompletedIcon,
  FailedIcon,
  QueuedIcon,
  RetryingIcon,
  RunningIcon,
  SkippedIcon,
} from './icons.tsx'

/** How a job stands, in one word for people. */
export type Standing = 'queued' | 'retrying' | 'running' | 'awaiting' | 'completed' | 'failed' | 'cancelled' | 'skipped'

type Stood = Pick<JobView, 'status' | 'outcome'> & Partial<Pick<JobView, 'state' | 'reason'>>

export function standingOf({ status, outcome, state, reason }: Stood): Standing {
  if (status === 'QUEUED') return state === 'error' ? 'retrying' : 'queued'
  if (status === 'RUNNING') return reason === null || reason === undefined ? 'running' : 'awaiting'
  if (status === 'CANCELLED') return 'cancelled'
  return outcome === 'FAILED' ? 'failed' : outcome === 'SKIPPED' ? 'skipped' : 'completed'
}

const faces = {
  queued: { Icon: QueuedIcon, label: 'Queued', tone: 'text-ink-2' },
  retrying: { Icon: RetryingIcon, label: 'Retrying', tone: 'text-warn' },
  running: { Icon: RunningIcon, label: 'Running', tone: 'text-run' },
  awaiting: { Icon: AwaitingIcon, label: 'Awaiting', tone: 'text-run' },
  completed: { Icon: CompletedIcon, label: 'Completed', tone: 'text-ok' },
  failed: { Icon: FailedIcon, label: 'Failed', tone: 'text-fail' },
  cancelled: { Icon: CancelledIcon, label: 'Cancelled', tone: 'text-ink-3' },
  skipped: { Icon: SkippedIcon, label: 'Skipped', tone: 'text-warn' },
} as const satisfies Record<Standing, unknown>

/** Icon, text and colour: none of them alone. */
export function StatusMark({ standing, large = false }: { readonly standing: Standing; readonly large?: boolean }) {
  const { Icon, label, tone } = faces[standing]
  return (
    <span
      className={cx('inline-flex items-center gap-1.5 align-middle whitespace-nowrap', tone, large && 'font-semibold')}
    >
      <Icon size={large ? 15 : 13} />
      {/* What went well is said quietly: it is the rest that somebody looks for. */}
      <span className={standing === 'completed' && !large ? 'text-ink-2' : undefined}>{label}</span>
    </span>
  )
}

export function JobStatus({ job, large = false }: { readonly job: Stood; readonly large?: boolean }) {
  return <StatusMark standing={standingOf(job)} large={large} />
}

export type Tone = 'ink' | 'run' | 'ok' | 'fail' | 'warn'

const tones: Readonly<Record<Tone, string>> = {
  ink: 'text-ink-2',
  run: 'text-run',
  ok: 'text-ok',
  fail: 'text-fail',
  warn: 'text-warn',
}

/** A status of something other than a job, with an icon that fits. */
export function Mark({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  const Icon = { ink: QueuedIcon, run: RunningIcon, ok: CompletedIcon, fail: FailedIcon, warn: AwaitingIcon }[tone]
  return (
    <span className={cx('inline-flex items-center gap-1.5 align-middle whitespace-nowrap', tones[tone])}>
      <Icon size={13} />
      <span className={tone === 'ok' ? 'text-ink-2' : undefined}>{children}</span>
    </span>
  )
}
