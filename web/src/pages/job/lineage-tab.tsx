import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { JobView } from 'stint/client'
import { uuidOf } from '../../data/ids.ts'
import { useSession } from '../../data/session.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { JobLink } from '../../ui/job-link.tsx'
import { PathLink } from '../../ui/path-link.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Facts, PageBody, Section } from '../../ui/section.tsx'
import { Answer } from '../../ui/states.tsx'
import { JobStatus } from '../../ui/status.tsx'
import { Ago, Time } from '../../ui/time.tsx'
import { useBelow, useHistory } from './use-job.ts'

/** Where it came from, and what came of it. */
export default function LineageTab({ job }: { readonly job: JobView }) {
  const below = useBelow(job)
  return (
    <PageBody>
      <div className="grid grid-cols-2 gap-x-10 gap-y-7 pt-3 max-lg:grid-cols-1">
        <Origin job={job} />
        <Answer query={below}>
          {({ items }) => {
            const uuid = uuidOf(job.id)
            return (
              <div className="space-y-7">
                <JobRows
                  title="Of this name"
                  jobs={items.filter(({ name, id }) => name === job.name && id !== job.id)}
                  none="No other job has or had this name."
                />
                <JobRows
                  title="Submitted by it"
                  jobs={items.filter(({ submittedBy }) => submittedBy?.includes(uuid))}
                  none="It has submitted no jobs below its name."
                />
              </div>
            )
          }}
        </Answer>
      </div>
    </PageBody>
  )
}

function Origin({ job }: { readonly job: JobView }) {
  const history = useHistory(job)
  const created = history.data?.items[0]
  const maker = job.submittedBy?.replace(/-run-\d+$/, '') ?? null
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['Id', <Copied key="id" text={job.id} />],
    ['Submitted by', created?.actor],
    ['From the job', maker && <JobById key="maker" id={maker} />],
    ['Repeats', job.retryOf && <JobById key="retry" id={job.retryOf} />],
    ['Schedule', job.scheduleId && <RecordRef key="schedule" kind="schedules" id={job.scheduleId} />],
    ['Template', job.templateId && <RecordRef key="template" kind="templates" id={job.templateId} />],
    ['Group', job.groupId && <RecordRef key="group" kind="groups" id={job.groupId} />],
    ['Because of', created?.cause],
    ['Trace', created?.traceId],
    ['Created', <Time key="created" at={job.createdAt} precise />],
    ['Due', <Time key="due" at={job.scheduledFor} precise />],
    ['Started', job.startedAt && <Time key="started" at={job.startedAt} precise />],
    ['Ended', job.finishedAt && <Time key="ended" at={job.finishedAt} precise />],
    ['Expires', job.expiresAt && <Time key="expires" at={job.expiresAt} precise />],
  ]
  return (
    <Section title="Origin">
      <Facts rows={rows.filter(([, value]) => value)} />
    </Section>
  )
}

function Copied({ text }: { readonly text: string }) {
  return (
    <span className="flex items-center gap-2">
      <code className="truncate">{text}</code>
      <CopyButton text={text} />
    </span>
  )
}

function JobById({ id }: { readonly id: string }) {
  const { client } = useSession()
  const { data } = useQuery({ queryKey: ['job', id], queryFn: () => client.jobs.get(id) })
  return data ? <JobLink job={data} /> : <code>{id}</code>
}

/** A template, schedule or group by the path that people know it by. */
function RecordRef({ kind, id }: { readonly kind: 'schedules' | 'templates' | 'groups'; readonly id: string }) {
  const { client } = useSession()
  const { data } = useQuery({
    queryKey: [kind, id],
    queryFn: async (): Promise<{ readonly path: string } | null> => await client[kind].get(id),
  })
  return data ? <PathLink to={`/${kind}`} id={id} path={data.path} /> : <code>{id}</code>
}

const shownMax = 50

function JobRows({
  title,
  jobs,
  none,
}: {
  readonly title: string
  readonly jobs: readonly JobView[]
  readonly none: string
}) {
  return (
    <Section title={title} aside={jobs.length > shownMax ? `${shownMax} of ${jobs.length}` : undefined}>
      {jobs.length === 0 ? (
        <p className="text-ink-3 py-2">{none}</p>
      ) : (
        <Rows
          label={title}
          head={['Status', 'Job', ['Created', 'right']]}
          widths={['7rem', 'auto', '6rem']}
          rows={jobs
            .slice(0, shownMax)
            .map((job) => [
              job.id,
              <JobStatus key="status" job={job} />,
              <JobLink key="job" job={job} />,
              <Ago key="created" at={job.createdAt} />,
            ])}
        />
      )}
    </Section>
  )
}
