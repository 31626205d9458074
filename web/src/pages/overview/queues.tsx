import { Link } from '@tanstack/react-router'
import type { DepthView, RemoteWorker } from 'stint/client'
import { WarningIcon } from '../../ui/icons.tsx'
import { Count } from '../../ui/number.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Section } from '../../ui/section.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { firstJob } from '../jobs/first-job.ts'

const shownMax = 12

/** What waits and runs, by type, the most that waits first; and what waits for a worker that nobody has started. */
export function Queues(props: {
  readonly depths: readonly DepthView[] | undefined
  readonly workers: readonly RemoteWorker[] | undefined
}) {
  const { depths, workers } = props
  const known = new Set(workers?.filter(({ lostAt }) => lostAt === null).flatMap(({ types }) => types))
  const isAlone = ({ type, ready, gated }: DepthView) => workers !== undefined && ready + gated > 0 && !known.has(type)
  const waiting = ({ ready, gated, delayed }: DepthView) => ready + gated + delayed
  const sorted = depths?.toSorted((a, b) => Number(isAlone(b)) - Number(isAlone(a)) || waiting(b) - waiting(a))
  return (
    <Section
      title="Queues"
      aside={depths !== undefined && depths.length > shownMax && `${shownMax} of ${depths.length}`}
    >
      {sorted === undefined ? (
        <Loading />
      ) : sorted.length === 0 ? (
        <Empty title="Nothing waits and nothing runs." snippet={firstJob}>
          Jobs that wait or run are counted here, by type. Submit one, and it appears by itself:
        </Empty>
      ) : (
        <Rows
          label="Queues"
          head={[
            'Type',
            ['Ready', 'right'],
            ['Delayed', 'right'],
            ['Gated', 'right'],
            ['Running', 'right'],
            ['Oldest', 'right'],
          ]}
          widths={['auto', '3.75rem', '4.25rem', '3.75rem', '4.25rem', '5.5rem']}
          rows={sorted
            .slice(0, shownMax)
            .map((depth) => [
              `${depth.namespace} ${depth.type}`,
              <QueueName key="name" depth={depth} isAlone={isAlone(depth)} />,
              <Count key="ready" value={depth.ready} />,
              <Count key="delayed" value={depth.delayed} />,
              <Count key="gated" value={depth.gated} />,
              <Count key="running" value={depth.running} />,
              <Ago key="oldest" at={depth.oldestReadyAt} />,
            ])}
        />
      )}
    </Section>
  )
}

function QueueName({ depth: { namespace, type }, isAlone }: { readonly depth: DepthView; readonly isAlone: boolean }) {
  return (
    <span className="flex items-center gap-2">
      <Link
        to="/jobs"
        search={{ q: `name:/${namespace} type:${type}` } as never}
        className="truncate font-mono text-[12px] hover:underline"
      >
        <span className="text-ink-3">{namespace} </span>
        {type}
      </Link>
      {isAlone && (
        <span className="text-warn inline-flex shrink-0 items-center gap-1 text-[12px]">
          <WarningIcon size={12} /> no worker
        </span>
      )}
    </span>
  )
}
