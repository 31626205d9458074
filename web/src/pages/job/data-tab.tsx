import { useQuery } from '@tanstack/react-query'
import type { JobView, Json, RunView } from 'stint/client'
import { useSession } from '../../data/session.tsx'
import { JobLink } from '../../ui/job-link.tsx'
import { JsonText } from '../../ui/json.tsx'
import { Rows } from '../../ui/rows.tsx'
import { PageBody, Section } from '../../ui/section.tsx'
import { Answer } from '../../ui/states.tsx'
import { Mark } from '../../ui/status.tsx'
import { Duration, Time } from '../../ui/time.tsx'
import { Difference } from './difference.tsx'
import { useNotes, useRuns } from './use-job.ts'

/** What went in, what came out, and what each attempt made of it. */
export default function DataTab({ job }: { readonly job: JobView }) {
  const runs = useRuns(job)
  const notes = useNotes(job)
  return (
    <PageBody>
      <div className="grid grid-cols-2 gap-x-10 gap-y-6 pt-3 max-lg:grid-cols-1">
        <Section title="Params">
          <Value value={job.params} />
        </Section>
        <Section title="Result">
          {job.state === 'final' ? (
            <Value value={job.result} />
          ) : (
            <p className="text-ink-3 py-2">There is none before the end.</p>
          )}
        </Section>
        {notes.data !== undefined && notes.data.checkpoint !== null && (
          <Section title="Checkpoint" aside="what its attempts saved last">
            <Value value={notes.data.checkpoint} />
          </Section>
        )}
        {job.retryOf !== null && <Repeated job={job} id={job.retryOf} />}
      </div>
      <Section title="Attempts" className="mt-7">
        <Answer query={runs} rows={2}>
          {({ items }) =>
            items.length === 0 ? <p className="text-ink-3 py-2">None yet.</p> : <Attempts runs={items} />
          }
        </Answer>
      </Section>
    </PageBody>
  )
}

function Value({ value }: { readonly value: Json }) {
  return (
    <div className="pt-2">
      <JsonText value={value} />
    </div>
  )
}

function Attempts({ runs }: { readonly runs: readonly RunView[] }) {
  return (
    <Rows
      label="Attempts"
      head={[
        ['', 'right'],
        'Outcome',
        'Why',
        ['Exit', 'right', 'lg'],
        ['Worker', 'left', 'lg'],
        ['Artifacts', 'left', 'lg'],
        ['Started', 'right'],
        ['Took', 'right'],
      ]}
      widths={['2rem', '8rem', 'auto', '3rem', '8rem', '10rem', '8rem', '5.5rem']}
      rows={runs.map((run) => [
        run.id,
        run.attempt,
        <RunMark key="outcome" run={run} />,
        <span key="why" title={run.error ?? ''}>
          {run.error}
        </span>,
        run.exitCode,
        <code key="worker" className="text-ink-2" title={run.workerId ?? ''}>
          {run.workerId?.slice(-12)}
        </code>,
        <span key="artifacts" title={run.artifacts.join('\n')}>
          {run.artifacts.join(', ')}
        </span>,
        <Time key="started" at={run.startedAt} />,
        <Duration key="took" ms={run.durationMs} />,
      ])}
    />
  )
}

function RunMark({ run: { status, reason } }: { readonly run: RunView }) {
  if (status === null) return <Mark tone="run">Open</Mark>
  if (status === 'COMPLETED') return <Mark tone="ok">Completed</Mark>
  if (status === 'SKIPPED') return <Mark tone="warn">Skipped</Mark>
  return <Mark tone="fail">{reason === 'failed' || reason === null ? 'Failed' : reason.replaceAll('_', ' ')}</Mark>
}

/** How it differs from the job that it runs again. */
function Repeated({ job, id }: { readonly job: JobView; readonly id: string }) {
  const { client } = useSession()
  const before = useQuery({ queryKey: ['job', id], queryFn: () => client.jobs.get(id) })
  const { data } = before
  if (data === undefined || data === null) return null
  const part = ({ params, result, error }: JobView) => ({ params, result, error }) as Json
  return (
    <Section title="Since the last time" aside={<JobLink job={data}>the job that it repeats</JobLink>}>
      <div className="pt-2">
        <Difference before={part(data)} after={part(job)} />
      </div>
    </Section>
  )
}
