import type { UseQueryResult } from '@tanstack/react-query'
import type { Page, RemoteWorker } from 'stint/client'
import { Rows } from '../../ui/rows.tsx'
import { Section } from '../../ui/section.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { Mark } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'

const shownMax = 8

const snippet = `const worker = stint.worker({ jobs: [greet] })
await worker.start()`

export function Workers(props: {
  readonly query: UseQueryResult<Page<RemoteWorker>>
  /** Those of them that are shown. */
  readonly workers: readonly RemoteWorker[] | undefined
}) {
  const { query, workers = [] } = props
  return (
    <Section title="Workers">
      <Answer query={query}>
        {() =>
          workers.length === 0 ? (
            <Empty title="No worker is there." snippet={snippet}>
              Jobs wait until a worker that knows their type is started:
            </Empty>
          ) : (
            <Rows
              label="Workers"
              head={['State', 'Name', 'Knows', ['Since', 'right']]}
              widths={['5rem', '8rem', 'auto', '5.5rem']}
              rows={workers.slice(0, shownMax).map(({ id, name, types, startedAt, lostAt }) => [
                id,
                <Mark key="state" tone={lostAt === null ? 'ok' : 'fail'}>
                  {lostAt === null ? 'Alive' : 'Lost'}
                </Mark>,
                name,
                <span key="types" className="text-ink-2" title={types.join(', ')}>
                  {types.join(', ')}
                </span>,
                <Ago key="since" at={lostAt ?? startedAt} />,
              ])}
            />
          )
        }
      </Answer>
    </Section>
  )
}
