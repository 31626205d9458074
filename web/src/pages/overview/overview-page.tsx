import { lazy, Suspense } from 'react'
import type { DepthView, ThroughputPoint } from 'stint/client'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { PageBody, PageHead, Section } from '../../ui/section.tsx'
import { Answer, Failure, Loading } from '../../ui/states.tsx'
import { isForOthers } from '../workers/own-workers.ts'
import { Failures } from './failures.tsx'
import { Figures } from './figures.tsx'
import { NextSchedules } from './next-schedules.tsx'
import { Queues } from './queues.tsx'
import { ThroughputWords } from './throughput-words.tsx'
import { WaitingSlots } from './waiting-slots.tsx'
import { Workers } from './workers.tsx'

const ThroughputChart = lazy(() =>
  import('./throughput-chart.tsx').then(
    ({ ThroughputChart: Chart }) => ({ default: Chart }),
    () => ({ default: ThroughputWords }),
  ),
)

const everyMs = 2_000
const leastPoints = 60

export default function OverviewPage() {
  const { client } = useSession()
  const depths = useLiveQuery({ queryKey: ['depths'], queryFn: () => client.depths() }, { everyMs })
  const throughput = useLiveQuery({ queryKey: ['throughput'], queryFn: () => client.throughput() }, { everyMs })
  const workers = useLiveQuery({ queryKey: ['workers'], queryFn: () => client.workers.list() }, { everyMs: 5_000 })
  const forOthers = workers.data?.items.filter(isForOthers)
  const own = depths.data?.items.filter(isOwn)
  return (
    <>
      <PageHead title="Overview" />
      <PageBody>
        {depths.error !== null && depths.data === undefined ? (
          <Failure error={depths.error} retry={() => void depths.refetch()} />
        ) : (
          <Figures depths={own} points={throughput.data?.items} workers={forOthers} />
        )}
        <Section title="The last hour" aside="each bar 10 s" className="mt-5">
          <Answer query={throughput} rows={4}>
            {({ items }) => (
              <div className="h-40">
                <Suspense fallback={<Loading rows={4} />}>
                  <ThroughputChart points={sinceFirst(items)} />
                </Suspense>
              </div>
            )}
          </Answer>
        </Section>
        <div className="mt-3 grid grid-cols-2 gap-x-10 gap-y-7 max-lg:grid-cols-1">
          <Queues depths={own} workers={workers.data?.items} />
          <Failures />
          <NextSchedules />
          <div className="space-y-7">
            <WaitingSlots />
            <Workers query={workers} workers={forOthers} />
          </div>
        </div>
      </PageBody>
    </>
  )
}

/** A server that was just started has no hour to tell of: it begins with what there is, and ten minutes at the least. */
function sinceFirst(points: readonly ThroughputPoint[]): readonly ThroughputPoint[] {
  const first = points.findIndex(
    ({ submitted, completed, failed, cancelled }) => submitted + completed + failed + cancelled > 0,
  )
  return first === -1 ? points : points.slice(Math.max(0, Math.min(first - 1, points.length - leastPoints)))
}

/** What Stint does for itself is no work of anybody's. */
function isOwn({ namespace }: DepthView): boolean {
  return !namespace.startsWith('~')
}
