import { Link } from '@tanstack/react-router'
import type { DepthView, RemoteWorker } from 'stint/client'
import { Copyable } from '../../ui/copy.tsx'
import { CompletedIcon, WarningIcon } from '../../ui/icons.tsx'
import { numberText } from '../../ui/number.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Section } from '../../ui/section.tsx'
import { Loading } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'

/** Work that nobody listens for: no worker knows its type, or all that do are bound to other branches. */
export function Unheard(props: {
  readonly workers: readonly RemoteWorker[]
  readonly depths: readonly DepthView[] | undefined
}) {
  const { workers, depths } = props
  const alone = depths?.filter((depth) => depth.ready + depth.gated + depth.delayed > 0 && !isHeard(depth, workers))
  // As text of JSON: whatever a type is called, it stays within its line.
  const types = [...new Set(alone?.map(({ type }) => JSON.stringify(type)))]
  return (
    <Section title="Work that nobody listens for">
      {alone === undefined ? (
        <Loading rows={2} />
      ) : alone.length === 0 ? (
        <p className="text-ink-2 flex items-center gap-2 py-3">
          <span className="text-ok">
            <CompletedIcon />
          </span>
          There is a worker for everything that waits.
        </p>
      ) : (
        <>
          <Rows
            label="Work that nobody listens for"
            head={['Type', 'Namespace', 'Why', ['Ready', 'right'], ['Waits otherwise', 'right'], ['Oldest', 'right']]}
            widths={['22%', '12%', 'auto', '4.5rem', '7rem', '6rem']}
            rows={alone.map((depth) => [
              `${depth.namespace} ${depth.type}`,
              <Link
                key="type"
                to="/jobs"
                search={{ q: `name:/${depth.namespace} type:${depth.type}`, status: 'queued' } as never}
                className="text-warn inline-flex items-center gap-1.5 hover:underline"
              >
                <WarningIcon size={13} />
                {depth.type}
              </Link>,
              <code key="namespace">{depth.namespace}</code>,
              <span key="why" className="text-ink-2">
                {workers.some(({ lostAt, types: known }) => lostAt === null && known.includes(depth.type))
                  ? 'those who know it are bound to other branches'
                  : 'no worker knows this type'}
              </span>,
              numberText(depth.ready),
              numberText(depth.gated + depth.delayed),
              <Ago key="oldest" at={depth.oldestReadyAt} />,
            ])}
          />
          <div className="max-w-[46rem] pt-3">
            <Copyable
              text={`// what knows ${types.join(', ')}\nconst worker = stint.worker({ jobs: [] })\nawait worker.start()`}
            />
          </div>
        </>
      )}
    </Section>
  )
}

function isHeard({ type, namespace }: DepthView, workers: readonly RemoteWorker[]): boolean {
  // What Stint does for itself has workers that come with the server.
  if (namespace.startsWith('~')) return true
  return workers.some(({ types, paths, lostAt }) => {
    const isNear = paths?.some((path) => path.split('/')[1] === namespace) ?? true
    return lostAt === null && types.includes(type) && isNear
  })
}
