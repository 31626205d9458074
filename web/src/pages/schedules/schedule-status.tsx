import type { ScheduleView } from 'stint/client'
import { CancelledIcon, CompletedIcon, PausedIcon, QueuedIcon, WarningIcon } from '../../ui/icons.tsx'

const faces = {
  ENABLED: { Icon: CompletedIcon, label: 'Enabled', tone: 'text-ok' },
  CREATED: { Icon: QueuedIcon, label: 'Not yet on', tone: 'text-ink-2' },
  DISABLED: { Icon: PausedIcon, label: 'Disabled', tone: 'text-ink-3' },
  DELETED: { Icon: CancelledIcon, label: 'Deleted', tone: 'text-ink-3' },
} as const

/** One that stopped by itself says so: nobody else will. */
export function ScheduleStatus({ schedule }: { readonly schedule: Pick<ScheduleView, 'status' | 'blocked'> }) {
  const { Icon, label, tone } =
    schedule.blocked === null ? faces[schedule.status] : { Icon: WarningIcon, label: 'Blocked', tone: 'text-fail' }
  return (
    <span
      className={`inline-flex items-center gap-1.5 align-middle whitespace-nowrap ${tone}`}
      title={schedule.blocked ?? undefined}
    >
      <Icon size={13} />
      {label}
    </span>
  )
}
