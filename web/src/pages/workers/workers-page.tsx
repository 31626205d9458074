import type { RemoteWorker } from 'stint/client'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { Rows } from '../../ui/rows.tsx'
import { PageBody, PageHead, Section } from '../../ui/section.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { Mark } from '../../ui/status.tsx'
import { Ago, useNow } from '../../ui/time.tsx'
import { isForOthers } from './own-workers.ts'
import { Unheard } from './unheard.tsx'

/** Signs of life are in no log: they are asked for. */
const askMs = 3_000
const everyMs = 2_000

const snippet = `const worker = stint.worker({ jobs: [render], concurrency: 20 })
await worker.start()`

export default function WorkersPage() {
  const { client } = useSession()
  const asked = { refetchInterval: askMs }
  const workers = useLiveQuery({ queryKey: ['workers'], queryFn: () => client.workers.list(), ...asked }, { everyMs })
  const depths = useLiveQuery({ queryKey: ['depths'], queryFn: () => client.depths(), ...asked }, { everyMs })
  const living = workers.data?.items.filter(({ lostAt }) => lostAt === null)
  const lost = workers.data?.items.filter(({ lostAt }) => lostAt !== null) ?? []
  return (
    <>
      <PageHead title="Workers" />
      <PageBody>
        <div className="space-y-7">
          <Answer query={workers} rows={4}>
            {({ items }) => <Unheard workers={items} depths={depths.data?.items} />}
          </Answer>
          {living !== undefined && (
            <Section title="Alive" aside={living.length}>
              {!living.some(isForOthers) && (
                <Empty title="No worker of yours is there." snippet={snippet}>
                  Jobs wait until a worker that knows their type is started. A worker is a process of yours, here or on
                  any other machine:
                </Empty>
              )}
              {living.length > 0 && <WorkerRows label="Workers that are alive" workers={living} />}
            </Section>
          )}
          {lost.length > 0 && (
            <Section title="Lost within a day" aside="their jobs were given to others">
              <WorkerRows label="Workers that were lost" workers={lost} />
            </Section>
          )}
        </div>
      </PageBody>
    </>
  )
}

function WorkerRows({ label, workers }: { readonly label: string; readonly workers: readonly RemoteWorker[] }) {
  return (
    <Rows
      label={label}
      head={[
        'State',
        'Name',
        'Knows',
        ['Bound to', 'left', 'lg'],
        ['Started', 'right', 'lg'],
        ['Seen', 'right'],
        ['Lease', 'right'],
      ]}
      widths={['6rem', '16%', 'auto', '16%', '6rem', '6rem', '6rem']}
      rows={workers.map((worker) => [
        worker.id,
        <WorkerState key="state" worker={worker} />,
        <span key="name" title={worker.id}>
          {worker.name}
        </span>,
        <span key="types" className="text-ink-2" title={worker.types.join(', ')}>
          {worker.types.join(', ')}
        </span>,
        <code key="paths" className="text-ink-2" title={worker.paths?.join(', ')}>
          {worker.paths?.join(', ') ?? <span className="text-ink-3">anywhere</span>}
        </code>,
        <Ago key="started" at={worker.startedAt} />,
        <Ago key="seen" at={worker.lostAt ?? worker.seenAt} />,
        worker.lostAt === null ? <Ago key="lease" at={worker.leaseUntil} /> : <span key="lease">over</span>,
      ])}
    />
  )
}

function WorkerState({ worker: { lostAt, leaseUntil } }: { readonly worker: RemoteWorker }) {
  const now = useNow()
  if (lostAt !== null) return <Mark tone="fail">Lost</Mark>
  return leaseUntil.getTime() < now ? <Mark tone="warn">Silent</Mark> : <Mark tone="ok">Alive</Mark>
}
