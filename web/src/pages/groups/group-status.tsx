import type { GroupView } from 'stint/client'
import { Mark, StatusMark } from '../../ui/status.tsx'

export function GroupStatus({ group: { status, sealed } }: { readonly group: Pick<GroupView, 'status' | 'sealed'> }) {
  if (status === 'RUNNING') return <StatusMark standing="running" />
  if (status === 'COMPLETED') return <StatusMark standing="completed" />
  if (status === 'CANCELLED') return <StatusMark standing="cancelled" />
  if (status === 'PARTIAL') return <Mark tone="fail">Partial</Mark>
  return sealed ? <StatusMark standing="queued" /> : <Mark tone="warn">Not sealed</Mark>
}
