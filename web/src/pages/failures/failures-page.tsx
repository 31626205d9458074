import { Link, useNavigate } from '@tanstack/react-router'
import type { FailureGroup } from 'stint/client'
import { ActionButton } from '../../actions/action-button.tsx'
import { operate } from '../../actions/jobs.ts'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { useUrlState } from '../../data/url-state.ts'
import { TextInput } from '../../ui/field.tsx'
import { JobLink } from '../../ui/job-link.tsx'
import { numberText } from '../../ui/number.tsx'
import { PageHead } from '../../ui/section.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { searchFor } from './cause-search.ts'

const columns: readonly Column<FailureGroup>[] = [
  { title: 'Jobs', width: '5rem', align: 'right', cell: ({ count }) => numberText(count) },
  { title: 'Type', width: '10rem', cell: ({ type }) => <span className="text-ink-2">{type}</span> },
  { title: 'What their errors share', cell: (group) => <Cause group={group} /> },
  { title: 'Newest', from: 'lg', cell: ({ jobs: [job] }) => job && <JobLink job={job} /> },
  { title: 'First', width: '6.5rem', align: 'right', from: 'md', cell: ({ firstAt }) => <Ago at={firstAt} /> },
  { title: 'Last', width: '6.5rem', align: 'right', cell: ({ lastAt }) => <Ago at={lastAt} /> },
]

function Cause({ group }: { readonly group: FailureGroup }) {
  return (
    <Link
      to="/jobs"
      search={{ status: 'failed', q: searchFor(group) } as never}
      title={group.error}
      className="text-fail hover:underline"
    >
      {group.fingerprint === '' ? group.error : group.fingerprint}
    </Link>
  )
}

/** Jobs that failed for good, by what their errors have in common. */
export default function FailuresPage() {
  const { client } = useSession()
  const navigate = useNavigate()
  const [{ branch = '', type = '' }, setUrl] = useUrlState()
  const query = { ...(branch.startsWith('/') ? { branch } : {}), ...(type === '' ? {} : { type }) }
  const failures = useLiveQuery(
    { queryKey: ['failures', query], queryFn: () => client.failures(query) },
    { on: ({ eventType }) => eventType === 'job.run.failed' || eventType === 'job.expired', everyMs: 3_000 },
  )
  const { data } = failures
  const filter = { ...query, outcome: 'FAILED', status: 'FINISHED' } as const
  return (
    <>
      <PageHead
        title="Failures"
        about={
          data && `${data.more ? 'the newest' : 'all'} ${numberText(data.looked)} jobs that failed for good, by cause`
        }
      >
        <TextInput
          type="search"
          aria-label="At or below a name"
          placeholder="below /reports"
          className="w-48! font-mono text-[12px]"
          value={branch}
          onChange={(event) => setUrl({ branch: event.target.value })}
        />
        <TextInput
          aria-label="Type"
          placeholder="type"
          className="w-36!"
          value={type}
          onChange={(event) => setUrl({ type: event.target.value })}
        />
        {data !== undefined && data.items.length > 0 && (
          <ActionButton
            action={operate({ action: 'retry', filter }, 'all that failed')}
            confirm={
              <p>Every job that failed for good and fits what is shown runs again, as a new job, in the background.</p>
            }
          />
        )}
      </PageHead>
      <Answer query={failures} rows={12}>
        {({ items }) => (
          <DataTable
            label="Failures by cause"
            columns={columns}
            rows={items}
            keyOf={(group) => `${group.type} ${group.fingerprint}`}
            onOpen={(group) =>
              void navigate({ to: '/jobs', search: { status: 'failed', q: searchFor(group) } as never })
            }
            foot={
              items.length === 0 && (
                <div className="px-6">
                  <Empty title="Nothing has failed.">
                    Jobs that failed for good are put together here by type and by what their errors share, so that one
                    cause is one line.
                  </Empty>
                </div>
              )
            }
          />
        )}
      </Answer>
    </>
  )
}
