import type { DeliveryView, WebhookView } from 'stint/client'
import { PausedIcon } from '../../ui/icons.tsx'
import { Mark } from '../../ui/status.tsx'

export function WebhookStatus({
  webhook: { status, reason, failures },
}: {
  readonly webhook: Pick<WebhookView, 'status' | 'reason' | 'failures'>
}) {
  if (status === 'ACTIVE') return failures === 0 ? <Mark tone="ok">Active</Mark> : <Mark tone="warn">Failing</Mark>
  return (
    <span
      className="text-ink-3 inline-flex items-center gap-1.5 align-middle whitespace-nowrap"
      title={reason ?? undefined}
    >
      <PausedIcon size={13} />
      Disabled
    </span>
  )
}

export function DeliveryStatus({ status }: Pick<DeliveryView, 'status'>) {
  if (status === 'DELIVERED') return <Mark tone="ok">Delivered</Mark>
  if (status === 'FAILED') return <Mark tone="fail">Failed</Mark>
  return status === 'PENDING' ? <Mark tone="run">On its way</Mark> : <Mark tone="ink">Cancelled</Mark>
}
