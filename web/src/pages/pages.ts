import type { ComponentType } from 'react'

/** A page: where it is, what it is called, and how it is loaded. Navigation, palette, keys and routes are made of this table. */
export interface Page {
  /** Parameters begin with a `$`. */
  readonly path: string
  readonly label: string
  /** Pages that stand together in the navigation; null for those that are reached from others. */
  readonly group: 'Work' | 'Plan' | 'Watch' | 'Run' | null
  /** Pressed after `g`. */
  readonly key?: string
  readonly load: () => Promise<{ readonly default: ComponentType }>
}

export const pages: readonly Page[] = [
  { path: '/', label: 'Overview', group: 'Work', key: 'o', load: () => import('./overview/overview-page.tsx') },
  { path: '/jobs', label: 'Jobs', group: 'Work', key: 'j', load: () => import('./jobs/jobs-page.tsx') },
  { path: '/jobs/$job', label: 'Job', group: null, load: () => import('./job/job-page.tsx') },
  { path: '/tree', label: 'Tree', group: 'Work', key: 't', load: () => import('./tree/tree-page.tsx') },
  {
    path: '/failures',
    label: 'Failures',
    group: 'Watch',
    key: 'f',
    load: () => import('./failures/failures-page.tsx'),
  },
  { path: '/events', label: 'Events', group: 'Watch', key: 'e', load: () => import('./events/events-page.tsx') },
  {
    path: '/schedules',
    label: 'Schedules',
    group: 'Plan',
    key: 's',
    load: () => import('./schedules/schedules-page.tsx'),
  },
  { path: '/schedules/$schedule', label: 'Schedule', group: null, load: () => import('./schedules/schedule-page.tsx') },
  {
    path: '/templates',
    label: 'Templates',
    group: 'Plan',
    key: 'm',
    load: () => import('./templates/templates-page.tsx'),
  },
  { path: '/templates/$template', label: 'Template', group: null, load: () => import('./templates/template-page.tsx') },
  { path: '/groups', label: 'Groups', group: 'Plan', key: 'g', load: () => import('./groups/groups-page.tsx') },
  { path: '/groups/$group', label: 'Group', group: null, load: () => import('./groups/group-page.tsx') },
  { path: '/slots', label: 'Slots', group: 'Plan', key: 'a', load: () => import('./slots/slots-page.tsx') },
  { path: '/slots/$slot', label: 'Slot', group: null, load: () => import('./slots/slot-page.tsx') },
  { path: '/workers', label: 'Workers', group: 'Run', key: 'w', load: () => import('./workers/workers-page.tsx') },
  {
    path: '/limits',
    label: 'Limits and pauses',
    group: 'Run',
    key: 'l',
    load: () => import('./limits/limits-page.tsx'),
  },
  { path: '/webhooks', label: 'Webhooks', group: 'Run', key: 'h', load: () => import('./webhooks/webhooks-page.tsx') },
  { path: '/webhooks/$webhook', label: 'Webhook', group: null, load: () => import('./webhooks/webhook-page.tsx') },
  { path: '/keys', label: 'Keys and health', group: 'Run', key: 'k', load: () => import('./keys/keys-page.tsx') },
]
