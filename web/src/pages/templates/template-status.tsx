import type { TemplateView } from 'stint/client'
import { Mark } from '../../ui/status.tsx'

export function TemplateStatus({ status }: Pick<TemplateView, 'status'>) {
  if (status === 'ACTIVE') return <Mark tone="ok">Active</Mark>
  if (status === 'CREATED') return <Mark tone="ink">Not used yet</Mark>
  return <span className="text-ink-3 whitespace-nowrap">Archived</span>
}
