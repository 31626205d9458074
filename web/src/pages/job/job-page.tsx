import { useParams } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import type { JobView } from 'stint/client'
import { useUrlState } from '../../data/url-state.ts'
import { PageBody, PageHead } from '../../ui/section.tsx'
import { Answer, Failure, Loading } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { JobHead } from './job-head.tsx'
import { useJob } from './use-job.ts'

type TabPage = ComponentType<{ readonly job: JobView }>

const tabPages: Readonly<Record<string, TabPage>> = {
  '': lazy(() => import('./timeline/timeline-tab.tsx')),
  graph: lazy(() => import('./graph/graph-tab.tsx')),
  shards: lazy(() => import('./shards/shards-tab.tsx')),
  events: lazy(() => import('./events-tab.tsx')),
  logs: lazy(() => import('./logs/logs-tab.tsx')),
  data: lazy(() => import('./data-tab.tsx')),
  lineage: lazy(() => import('./lineage-tab.tsx')),
}

const tabs = [
  { value: '', label: 'Timeline' },
  { value: 'graph', label: 'Graph' },
  { value: 'shards', label: 'Shards' },
  { value: 'events', label: 'Events' },
  { value: 'logs', label: 'Logs' },
  { value: 'data', label: 'Data' },
  { value: 'lineage', label: 'Lineage' },
]

export default function JobPage() {
  const { job: reference = '' } = useParams({ strict: false }) as { job?: string }
  const job = useJob(reference)
  const [{ tab = '' }] = useUrlState()
  if (job.data === undefined) {
    return (
      <>
        <PageHead title="Job" />
        <PageBody>
          {job.error === null ? <Loading rows={8} /> : <Failure error={job.error} retry={() => void job.refetch()} />}
        </PageBody>
      </>
    )
  }
  const Tab = tabPages[tab] ?? tabPages['']
  return (
    <Answer query={job}>
      {(data) => (
        <>
          <JobHead job={data} />
          <Tabs label="Parts of the job" name="tab" tabs={tabs} />
          <Suspense fallback={<Loading />}>{Tab !== undefined && <Tab key={data.id} job={data} />}</Suspense>
        </>
      )}
    </Answer>
  )
}
