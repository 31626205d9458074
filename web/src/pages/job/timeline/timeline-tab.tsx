import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { JobView, RunView } from 'stint/client'
import { useSession } from '../../../data/session.tsx'
import { useUrlState } from '../../../data/url-state.ts'
import { Button } from '../../../ui/button.tsx'
import { PageBody } from '../../../ui/section.tsx'
import { Answer } from '../../../ui/states.tsx'
import { useBelow, useHistory } from '../use-job.ts'
import { trackOf, tracksOf } from './segments.ts'
import { Waterfall } from './waterfall.tsx'

/** Of how many jobs below it the attempts are read one by one. */
const triedMax = 30

/** When it waited, ran and was waited for: each attempt, and each job below it. */
export default function TimelineTab({ job }: { readonly job: JobView }) {
  const history = useHistory(job)
  const below = useBelow(job)
  const [{ zoom = '' }, setUrl] = useUrlState()
  const children = useMemo(() => {
    const items = below.data?.items ?? []
    return items
      .filter(({ id, name, createdAt }) => id !== job.id && name !== job.name && createdAt >= job.createdAt)
      .sort((a, b) => startOf(a) - startOf(b) || (a.name < b.name ? -1 : 1))
  }, [below.data, job])
  const runs = useRunsOf(children)
  const isMore = below.data?.cursor !== null && below.data !== undefined
  return (
    <PageBody>
      <Answer query={history}>
        {({ items }) => (
          <>
            <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-6 py-1.5">
              <Legend />
              <div className="flex gap-1">
                <Button kind="quiet" aria-pressed={zoom === ''} onClick={() => setUrl({ zoom: '' })}>
                  Whole life
                </Button>
                <Button kind="quiet" aria-pressed={zoom === 'run'} onClick={() => setUrl({ zoom: 'run' })}>
                  Since its start
                </Button>
              </div>
            </div>
            <Waterfall
              tracks={[...tracksOf(items), ...children.map((child) => trackOf(child, job.name, runs.get(child.id)))]}
              isZoomed={zoom === 'run'}
            />
            {isMore && <p className="text-ink-3 py-2">Only the newest 200 jobs below it are drawn.</p>}
          </>
        )}
      </Answer>
    </PageBody>
  )
}

/** Of jobs that were tried more than once, each attempt. */
function useRunsOf(jobs: readonly JobView[]): ReadonlyMap<string, readonly RunView[]> {
  const { client } = useSession()
  const tried = jobs.filter(({ attempt }) => attempt > 1).slice(0, triedMax)
  const answers = useQueries({
    queries: tried.map((job) => ({
      queryKey: ['job', job.id, 'runs', job.updatedAt.getTime()],
      queryFn: () => client.runs.list({ job: job.id }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
  })
  return new Map(tried.map(({ id }, i) => [id, answers[i]?.data?.items ?? []]))
}

/** What has not started comes last. */
function startOf({ startedAt }: JobView): number {
  return startedAt?.getTime() ?? Number.MAX_SAFE_INTEGER
}

const kinds = [
  ['waits', 'segment-queued'],
  ['runs', 'bg-run'],
  ['awaits others', 'segment-awaiting'],
  ['completed', 'bg-ok'],
  ['did not complete', 'bg-fail'],
] as const

function Legend() {
  return (
    <ul className="text-ink-3 flex flex-wrap gap-x-4 text-[12px]" aria-label="What the bars mean">
      {kinds.map(([label, style]) => (
        <li key={label} className="flex items-center gap-1.5">
          <span className={`${style} h-2 w-4`} /> {label}
        </li>
      ))}
    </ul>
  )
}
