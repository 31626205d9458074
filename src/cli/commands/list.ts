import type { Client } from '../../client/client.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { JobsQuery } from '../../engine/jobs-api.ts'
import { command } from '../command.ts'
import { placeOf } from '../names.ts'
import { jobShape } from '../shapes/job.ts'
import { choice, count, instant, text, textPair } from '../values.ts'

/** What people mean by the state of a job is in part its status, in part how it ended. */
const states = {
  queued: { status: 'QUEUED' },
  running: { status: 'RUNNING' },
  finished: { status: null },
  completed: { outcome: 'COMPLETED' },
  failed: { status: null, outcome: 'FAILED' },
  skipped: { outcome: 'SKIPPED' },
  cancelled: { status: 'CANCELLED' },
} as const satisfies Record<string, JobsQuery>

export const list = command({
  name: 'list',
  summary: 'Lists jobs, the newest first.',
  needs: 'server',
  prints: true,
  args: { branch: { about: 'Only at this name and below.', optional: true, complete: 'job' } },
  options: {
    status: {
      short: 's',
      value: choice(...(Object.keys(states) as (keyof typeof states)[])),
      about: 'Only jobs in this state.',
    },
    type: { value: text('type'), about: 'Only jobs of this type.', complete: 'type' },
    key: { value: text('key'), about: 'Only jobs with this key.' },
    label: { short: 'l', value: textPair, about: 'Only jobs with this label.' },
    since: { value: instant('past'), about: 'Only jobs submitted since a time, or since this long ago (2h).' },
    limit: { value: count(1, 100_000), about: 'At most this many. Default 50.' },
    tasks: { about: 'Includes tasks of sharded jobs.' },
    queue: { about: 'Jobs that are ready, in the order in which workers take them.' },
  },
  examples: [
    ['stint list', 'The newest jobs.'],
    ['stint list /reports --status failed --since 1d', 'What has failed below /reports since yesterday.'],
    ['stint list --queue', 'What runs next.'],
    ['stint list -s failed -o name | xargs stint retry', 'Retries what has failed.'],
  ],
  run: async (call) => {
    const { args, options } = call
    const { status, type, key, label, since, limit = 50, tasks, queue } = options
    const client = await call.client()
    if (queue) {
      const page = await client.jobs.queue({ limit: Math.min(limit, 1_000), ...(type === undefined ? {} : { type }) })
      call.print.list(page.items, jobShape)
      return
    }
    const branch = placeOf(call, args.branch)
    const query: JobsQuery = {
      ...(status === undefined ? {} : states[status]),
      ...(branch === null ? {} : { branch }),
      ...(type === undefined ? {} : { type }),
      ...(key === undefined ? {} : { key }),
      ...(label === undefined ? {} : { label: { name: label[0], value: label[1] } }),
      ...(tasks ? { tasks } : {}),
    }
    const { items, hasMore } = await jobsOf(client, query, limit, since)
    call.print.list(items, jobShape)
    if (hasMore && call.print.isForPeople)
      call.say(call.terminal.err.colors.dim(`There are more: --limit ${limit * 4}.`))
  },
})

/** Pages, until there are enough, no more, or only older ones. What Stint does for itself is left out where nobody asks for it. */
async function jobsOf(client: Client, query: JobsQuery, limit: number, since: Date | undefined) {
  const items: JobView[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Client['jobs']['list']>> = await client.jobs.list({
      ...query,
      cursor,
      limit: Math.min(limit, 1_000),
    })
    const wanted = page.items.filter(({ name }) => query.branch !== undefined || !name.startsWith('/~stint/'))
    for (const job of wanted) {
      if (since !== undefined && job.createdAt < since) return { items, hasMore: false }
      if (items.length === limit) return { items, hasMore: true }
      items.push(job)
    }
    cursor = page.cursor
  } while (cursor !== null)
  return { items, hasMore: false }
}
