import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { RemoteEntry } from 'stint/client'
import { apiUrl } from '../../data/base.ts'
import { useRecentEntries } from '../../data/live-context.tsx'
import { useSession } from '../../data/session.tsx'
import { useUrlState } from '../../data/url-state.ts'
import { Button } from '../../ui/button.tsx'
import { TextInput } from '../../ui/field.tsx'
import { JobLink } from '../../ui/job-link.tsx'
import { PageHead } from '../../ui/section.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { EntryPane, eventColumns } from '../job/events-tab.tsx'

const columns: readonly Column<RemoteEntry>[] = [
  ...eventColumns.slice(0, 2),
  {
    title: 'Job',
    width: '9rem',
    cell: ({ jobId, namespace }) =>
      jobId === null ? (
        <code className="text-ink-3">{namespace}</code>
      ) : (
        <JobLink job={{ id: jobId, name: jobId }}>
          <span className="text-ink-3">{namespace}</span> {jobId.slice(-6)}
        </JobLink>
      ),
  },
  ...eventColumns.slice(2),
]

const tabs = [
  { value: '', label: 'As it happens' },
  { value: 'beginning', label: 'From the beginning' },
]

const snippet = `curl -s ${apiUrl}/v1/events -H 'content-type: application/json' \\
  -d '{"type":"parcel.arrived","id":"parcel-1","attributes":{"order":"7"}}'`

/** The log of all that happens: as it is written, or from its beginning on. */
export default function EventsPage() {
  const [{ from = '', type = '', namespace = '' }, setUrl] = useUrlState()
  const fits = useMemo(() => fitting(type, namespace), [type, namespace])
  return (
    <>
      <PageHead title="Events">
        <TextInput
          type="search"
          aria-label="Type of event"
          placeholder="type, job.run.*"
          className="w-56! font-mono text-[12px]"
          value={type}
          onChange={(event) => setUrl({ type: event.target.value })}
        />
        <TextInput
          aria-label="Namespace"
          placeholder="namespace"
          className="w-36! font-mono text-[12px]"
          value={namespace}
          onChange={(event) => setUrl({ namespace: event.target.value })}
        />
      </PageHead>
      <Tabs label="Which part of the log" name="from" tabs={tabs} />
      {from === '' ? <LiveEvents fits={fits} /> : <AllEvents fits={fits} />}
    </>
  )
}

type Fits = (entry: RemoteEntry) => boolean

function fitting(type: string, namespace: string): Fits {
  const start = type.replace(/\*$/, '')
  const isOfType = (given: string) =>
    type.endsWith('*') || type === '' ? given.startsWith(start) : given.includes(start)
  return (entry) => isOfType(entry.eventType) && (namespace === '' || entry.namespace === namespace)
}

function LiveEvents({ fits }: { readonly fits: Fits }) {
  const [isHeld, setIsHeld] = useState(false)
  const entries = useRecentEntries(isHeld)
  const rows = useMemo(() => entries.filter(fits).toReversed(), [entries, fits])
  return (
    <Entries
      rows={rows}
      head={
        <Button aria-pressed={isHeld} onClick={() => setIsHeld(!isHeld)}>
          {isHeld ? 'Go on' : 'Hold'}
        </Button>
      }
      foot={
        rows.length === 0 ? (
          <div className="px-6">
            <Empty title="Waiting for what happens next." snippet={snippet}>
              Every change of a job, and every event that others send, appears here as it is written:
            </Empty>
          </div>
        ) : (
          <p className="text-ink-3 px-6 py-3">Since the dashboard was opened, the newest first.</p>
        )
      }
    />
  )
}

function AllEvents({ fits }: { readonly fits: Fits }) {
  const { client } = useSession()
  const log = useInfiniteQuery({
    queryKey: ['events', 'all'],
    queryFn: ({ pageParam }) => client.events.list({ cursor: pageParam, limit: 500 }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ items, cursor }) => (items.length === 0 ? null : cursor),
  })
  const rows = useMemo(() => log.data?.pages.flatMap(({ items }) => items).filter(fits) ?? [], [log.data, fits])
  if (log.error !== null && rows.length === 0) {
    return (
      <div className="px-6">
        <Failure error={log.error} retry={() => void log.refetch()} />
      </div>
    )
  }
  if (log.isLoading) {
    return (
      <div className="px-6">
        <Loading rows={12} />
      </div>
    )
  }
  const more = () => {
    if (log.hasNextPage && !log.isFetching) void log.fetchNextPage()
  }
  return (
    <Entries
      rows={rows}
      onEnd={more}
      foot={
        <p className="text-ink-3 px-6 py-3">
          {log.hasNextPage ? (
            <button type="button" className="underline" onClick={more}>
              Read on
            </button>
          ) : (
            'That is all so far.'
          )}
        </p>
      }
    />
  )
}

function Entries(props: {
  readonly rows: readonly RemoteEntry[]
  readonly onEnd?: () => void
  readonly head?: React.ReactNode
  readonly foot: React.ReactNode
}) {
  const [shown, setShown] = useState<RemoteEntry | null>(null)
  return (
    <div className="relative flex min-h-0 flex-1">
      {props.head !== undefined && <div className="absolute -top-8 right-6">{props.head}</div>}
      <DataTable
        label="Events"
        columns={columns}
        rows={props.rows}
        keyOf={({ eventId, namespace, source }) => `${namespace} ${source} ${eventId}`}
        onOpen={(entry) => setShown(entry.eventId === shown?.eventId ? null : entry)}
        {...(props.onEnd === undefined ? {} : { onEnd: props.onEnd })}
        foot={props.foot}
      />
      {shown !== null && <EntryPane entry={shown} />}
    </div>
  )
}
