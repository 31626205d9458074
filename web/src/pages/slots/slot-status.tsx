import type { SlotView } from 'stint/client'
import { Mark } from '../../ui/status.tsx'

export function SlotStatus({ slot: { status, dueAt } }: { readonly slot: Pick<SlotView, 'status' | 'dueAt'> }) {
  if (status === 'FILLED') return <Mark tone="ok">Filled</Mark>
  if (status === 'FAILED') return <Mark tone="fail">Never</Mark>
  return dueAt === null ? <Mark tone="warn">Awaited</Mark> : <Mark tone="ink">Timed</Mark>
}
