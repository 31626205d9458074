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
  { value: '', label: 'The newest, as it happens' },
  { value: 'beginning', label: 'From the beginning' },
]

const snippet = `curl -s ${apiUrl}/v1/events -H 'content-type: application/json' \\
  -d '{"type":"parcel.arrived","id":"parcel-1","attributes":{"order":"7"}}'`

/** The log of all that happens: the newest, as it is written, or from its beginning on. */
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

/** The newest of what has happened, older ones by pages, and on top what happens meanwhile. */
function LiveEvents({ fits }: { readonly fits: Fits }) {
  const [isHeld, setIsHeld] = useState(false)
  const recent = useRecentEntries(isHeld)
  const log = useLog('newest')
  const rows = useMemo(
    () => [...once([...recent.toReversed(), ...log.entries])].filter(fits),
    [recent, log.entries, fits],
  )
  return (
    <LogEntries
      log={log}
      rows={rows}
      head={
        <Button aria-pressed={isHeld} onClick={() => setIsHeld(!isHeld)}>
          {isHeld ? 'Go on' : 'Hold'}
        </Button>
      }
      empty={
        <Empty title="Waiting for what happens next." snippet={snippet}>
          Every change of a job, and every event that others send, appears here as it is written:
        </Empty>
      }
    />
  )
}

function AllEvents({ fits }: { readonly fits: Fits }) {
  const log = useLog('oldest')
  const rows = useMemo(() => log.entries.filter(fits), [log.entries, fits])
  return <LogEntries log={log} rows={rows} />
}

/** The log by pages, from one of its ends. */
function useLog(first: 'newest' | 'oldest') {
  const { client } = useSession()
  const query = useInfiniteQuery({
    queryKey: ['events', first],
    queryFn: ({ pageParam }) =>
      client.events.list({ cursor: pageParam, limit: 500, ...(first === 'newest' ? { newestFirst: true } : {}) }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ items, cursor }) => (items.length === 0 ? null : cursor),
  })
  const entries = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? [], [query.data])
  return { query, entries }
}

/** What has come by the stream may have been read, too. */
function* once(entries: readonly RemoteEntry[]): Generator<RemoteEntry> {
  const seen = new Set<string>()
  for (const entry of entries) {
    const key = keyOf(entry)
    if (!seen.has(key)) yield entry
    seen.add(key)
  }
}

function LogEntries(props: {
  readonly log: ReturnType<typeof useLog>
  readonly rows: readonly RemoteEntry[]
  readonly head?: React.ReactNode
  /** Stands in place of rows where there is nothing at all. */
  readonly empty?: React.ReactNode
}) {
  const { rows, empty } = props
  const { query, entries } = props.log
  if (query.error !== null && rows.length === 0) {
    return (
      <div className="px-6">
        <Failure error={query.error} retry={() => void query.refetch()} />
      </div>
    )
  }
  if (query.isLoading && rows.length === 0) {
    return (
      <div className="px-6">
        <Loading rows={12} />
      </div>
    )
  }
  const more = () => {
    if (query.hasNextPage && !query.isFetching) void query.fetchNextPage()
  }
  const isEmpty = empty !== undefined && rows.length === 0 && entries.length === 0
  return (
    <Entries
      rows={rows}
      onEnd={more}
      {...(props.head === undefined ? {} : { head: props.head })}
      foot={
        isEmpty ? (
          <div className="px-6">{empty}</div>
        ) : (
          <p className="text-ink-3 px-6 py-3">
            {query.hasNextPage ? (
              <button type="button" className="underline" onClick={more}>
                Read on
              </button>
            ) : (
              'That is all so far.'
            )}
          </p>
        )
      }
    />
  )
}

function keyOf({ eventId, namespace, source }: RemoteEntry): string {
  return `${namespace} ${source} ${eventId}`
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
        keyOf={keyOf}
        onOpen={(entry) => setShown(entry.eventId === shown?.eventId ? null : entry)}
        {...(props.onEnd === undefined ? {} : { onEnd: props.onEnd })}
        foot={props.foot}
      />
      {shown !== null && <EntryPane entry={shown} />}
    </div>
  )
}
