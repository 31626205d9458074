import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { JobView } from 'stint/client'
import { addressOf } from '../../data/ids.ts'
import { useSession } from '../../data/session.tsx'
import { useUrlState } from '../../data/url-state.ts'
import { numberText } from '../../ui/number.tsx'
import { PageHead } from '../../ui/section.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { firstJob } from './first-job.ts'
import { jobColumns } from './job-columns.tsx'
import { parseSearch, statuses } from './job-search.ts'
import { NewPill } from './new-pill.tsx'
import { QueueTable } from './queue-table.tsx'
import { SavedViews } from './saved-views.tsx'
import { SearchField } from './search-field.tsx'
import { useJobRows } from './use-job-rows.ts'

const tabs = [
  ['', 'All'],
  ['queued', 'Queued'],
  ['running', 'Running'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
  ['skipped', 'Skipped'],
  ['next', 'Next in line'],
].map(([value = '', label = '']) => ({ value, label }))

export default function JobsPage() {
  const [{ q = '', status = '' }, setUrl] = useUrlState()
  const { query, problem } = useMemo(() => parseSearch(q, Date.now()), [q])
  return (
    <>
      <PageHead title="Jobs">
        <SavedViews q={q} status={status} onChoose={(view) => setUrl(view, { push: true })} />
        <SearchField value={q} problem={problem} onChange={(next) => setUrl({ q: next })} />
      </PageHead>
      <Tabs label="Status" name="status" tabs={tabs} />
      {status === 'next' ? (
        <QueueTable type={query.type} />
      ) : (
        <JobsTable
          key={`${status} ${q}`}
          query={{ ...query, ...statuses[status] }}
          isFiltered={q !== '' || status !== ''}
        />
      )}
    </>
  )
}

function JobsTable({
  query,
  isFiltered,
}: {
  readonly query: Parameters<typeof useJobRows>[0]
  readonly isFiltered: boolean
}) {
  const { may } = useSession()
  const navigate = useNavigate()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same words are the same query.
  const stable = useMemo(() => query, [JSON.stringify(query)])
  const jobs = useJobRows(stable, { isFrozen: selected.size > 0 })
  const open = ({ id }: JobView) => void navigate({ to: '/jobs/$job', params: { job: addressOf(id) } as never })
  if (jobs.error !== null && jobs.rows.length === 0) {
    return (
      <div className="px-6">
        <Failure error={jobs.error} retry={jobs.refresh} />
      </div>
    )
  }
  if (jobs.isLoading) {
    return (
      <div className="px-6">
        <Loading rows={16} />
      </div>
    )
  }
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <NewPill count={jobs.newCount} isCapped={jobs.isNewCapped} onClick={jobs.refresh} />
      <DataTable
        label="Jobs"
        columns={jobColumns}
        rows={jobs.rows}
        keyOf={({ id }) => id}
        onOpen={open}
        onEnd={jobs.onEnd}
        changed={jobs.changed}
        {...(may('submit') ? { selection: { keys: selected, change: setSelected } } : {})}
        foot={<Foot jobs={jobs} isFiltered={isFiltered} />}
      />
      {selected.size > 0 && (
        <BulkBar
          query={stable}
          jobs={jobs.rows.filter(({ id }) => selected.has(id))}
          matching={{ count: jobs.rows.length, more: jobs.isMore }}
          onClear={() => setSelected(new Set())}
        />
      )}
    </div>
  )
}

function Foot({ jobs, isFiltered }: { readonly jobs: ReturnType<typeof useJobRows>; readonly isFiltered: boolean }) {
  if (jobs.isMore) {
    return (
      <p className="text-ink-3 px-6 py-3">
        {jobs.isFetchingMore ? 'Reading on …' : `${numberText(jobs.rows.length)} so far. `}
        {!jobs.isFetchingMore && (
          <button type="button" className="underline" onClick={jobs.more}>
            Look further back
          </button>
        )}
      </p>
    )
  }
  if (jobs.rows.length > 0) return <p className="text-ink-3 px-6 py-3">{numberText(jobs.rows.length)} in all.</p>
  return (
    <div className="px-6">
      {isFiltered ? (
        <Empty title="No job fits.">Fewer words find more. What is looked for may also have been pruned.</Empty>
      ) : (
        <Empty title="No jobs yet." snippet={firstJob}>
          A job is a piece of work with a name. Submit one, and it appears here by itself:
        </Empty>
      )}
    </div>
  )
}
