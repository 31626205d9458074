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
]
