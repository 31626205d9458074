import { z } from 'zod'
import { dateOf } from '../../engine/job-view.ts'
import type { WorkerRow } from '../../store/store.ts'
import { type Route, route } from '../route.ts'
import { page, shownInstant } from '../schemas/common.ts'

/** A worker as the API shows it. */
const worker = z
  .object({
    id: z.string(),
    name: z.string(),
    types: z.array(z.string()),
    paths: z.array(z.string()).nullable().meta({ description: 'The branches that it is bound to.' }),
    startedAt: shownInstant,
    seenAt: shownInstant,
    leaseUntil: shownInstant,
    lostAt: shownInstant.nullable(),
  })
  .meta({ id: 'Worker' })

function shown(row: WorkerRow) {
  return {
    ...row,
    startedAt: new Date(row.startedAt),
    seenAt: new Date(row.seenAt),
    leaseUntil: new Date(row.leaseUntil),
    lostAt: dateOf(row.lostAt),
  }
}

export const workerRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/workers',
    id: 'listWorkers',
    tag: 'Workers',
    summary: 'The workers that live, and those that were lost within a day.',
    role: 'read',
    response: page(worker),
    run: async ({ stint }) => {
      const { items, cursor } = await stint.workers.list()
      return { items: items.map(shown), cursor }
    },
  }),
]
