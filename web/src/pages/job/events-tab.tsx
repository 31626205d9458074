import { useState } from 'react'
import type { JobView, RemoteEntry } from 'stint/client'
import { JsonText } from '../../ui/json.tsx'
import { Facts } from '../../ui/section.tsx'
import { Answer } from '../../ui/states.tsx'
import { type Column, DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { Actor, Attributes } from '../events/entry-cells.tsx'
import { useHistory } from './use-job.ts'

export const eventColumns: readonly Column<RemoteEntry>[] = [
  { title: 'Time', width: '9.5rem', cell: ({ occurredAt }) => <Time at={occurredAt} precise /> },
  { title: 'Event', width: '12rem', cell: ({ eventType }) => <code>{eventType}</code> },
  {
    title: 'By',
    width: '12rem',
    from: 'lg',
    cell: (entry) => <Actor entry={entry} />,
  },
  { title: 'What', cell: ({ attributes }) => <Attributes of={attributes} /> },
]

const columns: readonly Column<RemoteEntry>[] = [
  { title: 'Version', width: '4.5rem', align: 'right', cell: ({ version }) => version ?? '–' },
  ...eventColumns,
]

/** All that happened to it, in its order. */
export default function EventsTab({ job }: { readonly job: JobView }) {
  const history = useHistory(job)
  const [shown, setShown] = useState<RemoteEntry | null>(null)
  return (
    <Answer query={history} rows={10}>
      {({ items }) => (
        <div className="flex min-h-0 flex-1">
          <DataTable
            label="Events of the job"
            columns={columns}
            rows={items}
            keyOf={({ eventId }) => eventId}
            onOpen={(entry) => setShown(entry.eventId === shown?.eventId ? null : entry)}
          />
          {shown !== null && <EntryPane entry={shown} />}
        </div>
      )}
    </Answer>
  )
}

/** One entry of the log, with all that it says. */
export function EntryPane({ entry }: { readonly entry: RemoteEntry }) {
  return (
    <aside
      aria-label="Event"
      className="border-line-strong w-[26rem] shrink-0 overflow-y-auto border-l px-4 pb-6 max-lg:w-72"
    >
      <h2 className="flex h-8 items-center font-mono text-[12px]">{entry.eventType}</h2>
      <Facts
        rows={[
          ['Id', <code key="id">{entry.eventId}</code>],
          ['Happened', <Time key="at" at={entry.occurredAt} precise />],
          ['Received', <Time key="received" at={entry.receivedAt} precise />],
          ['By', entry.actor ?? entry.source ?? '–'],
          ['Because of', entry.cause ?? '–'],
          ['Trace', entry.traceId ?? '–'],
        ]}
      />
      <div className="mt-3">
        <JsonText value={entry.attributes} />
      </div>
    </aside>
  )
}
