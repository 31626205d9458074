import type { ReactNode } from 'react'
import type { ServerView } from 'stint/client'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { numberText, shortText } from '../../ui/number.tsx'
import { Facts, Section } from '../../ui/section.tsx'
import { Answer } from '../../ui/states.tsx'
import { Mark } from '../../ui/status.tsx'
import { Ago, Time } from '../../ui/time.tsx'
import { durationText } from '../../ui/time-text.ts'

const askMs = 3_000
/** Clocks that differ by more than this are worth a look: times are then not what they seem. */
const skewMs = 2_000
/** From here on whoever asks notices. */
const slowMs = 200

/** How the server is, how it was started, and what it has counted. */
export function Health() {
  const { client } = useSession()
  const server = useLiveQuery(
    {
      queryKey: ['server'],
      queryFn: async () => {
        const view = await client.server()
        return { view, skew: view.now.getTime() - Date.now() }
      },
      refetchInterval: askMs,
    },
    { on: () => false },
  )
  return (
    <Answer query={server} rows={10}>
      {({ view, skew }) => (
        <div className="grid grid-cols-2 gap-x-10 gap-y-7 max-lg:grid-cols-1">
          <div className="min-w-0 space-y-7">
            <Section title="Health" aside={<HealthMark view={view} skew={skew} />}>
              <Facts rows={healthOf(view, skew)} />
            </Section>
            {view.settings !== null && (
              <Section title="Settings" aside="as it was started">
                <Facts rows={settingsOf(view.settings)} />
              </Section>
            )}
          </div>
          {view.counters === null ? (
            <Section title="Counted">
              <p className="text-ink-2 py-3">Only a key that reaches everything is told what is of everybody.</p>
            </Section>
          ) : (
            <Counters counters={view.counters} startedAt={view.startedAt} />
          )}
        </div>
      )}
    </Answer>
  )
}

function HealthMark({ view, skew }: { readonly view: ServerView; readonly skew: number }) {
  if (view.storeMs > slowMs) return <Mark tone="warn">The database is slow</Mark>
  return Math.abs(skew) > skewMs ? <Mark tone="warn">Clocks differ</Mark> : <Mark tone="ok">Well</Mark>
}

type FactRow = readonly [string, ReactNode]

function healthOf(view: ServerView, skew: number): readonly FactRow[] {
  const { process } = view
  return [
    ['Stint', `${view.version} on Node ${view.node.replace(/^v/, '')}`],
    ['Store', `${view.store === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, answers in ${milliseconds(view.storeMs)}`],
    ['Started', <Ago key="started" at={view.startedAt} />],
    [
      'Its time',
      <span key="now">
        <Time at={view.now} />
        {Math.abs(skew) > skewMs && <span className="text-warn"> · {durationText(Math.abs(skew))} off this clock</span>}
      </span>,
    ],
    ...(process === null
      ? []
      : ([
          ['Memory', `${numberText(Math.round(process.residentBytes / 1_048_576))} MiB`],
          ['Event loop', `at most ${milliseconds(process.eventLoopDelayMs)} late, lately`],
          [
            'Requests',
            <span key="requests">
              {numberText(process.answered)} answered
              {process.meanMs !== null && `, ${milliseconds(process.meanMs)} on average`}, {numberText(process.refused)}{' '}
              refused,{' '}
              <span className={process.failed > 0 ? 'text-fail' : undefined}>{numberText(process.failed)} failed</span>
            </span>,
          ],
        ] as const)),
  ]
}

function settingsOf(settings: NonNullable<ServerView['settings']>): readonly FactRow[] {
  const { requireKeys, commands, requestsPerSecond, basePath, allowedHosts, allowedOrigins } = settings
  return [
    ['Keys', requireKeys ? 'everybody needs one' : 'only this machine reaches it, and needs none'],
    ['Commands', commands ? 'jobs that run any program may be submitted' : 'jobs that run programs are refused'],
    ['Requests of one key', `at most ${numberText(requestsPerSecond)} a second`],
    ...(basePath === '/' ? [] : ([['Stands at', <code key="base">{basePath}</code>]] as const)),
    ['Other hosts', allowedHosts.join(', ') || 'none'],
    ['Other origins', allowedOrigins.join(', ') || 'none'],
  ]
}

function Counters(props: { readonly counters: NonNullable<ServerView['counters']>; readonly startedAt: Date }) {
  return (
    <Section title="Counted" aside="by this process, since it started; all of it at /metrics">
      <table aria-label="Counted" className="w-full table-fixed">
        <tbody>
          {props.counters.map(({ name, help, value }) => (
            <tr key={name} className="border-line h-[27px] border-b">
              <td className="text-ink-2 truncate pr-3" title={`${name}: ${help}`}>
                {help.replace(/(, by .*)?\.$/, '')}
              </td>
              <td className={value === 0 ? 'text-ink-3 w-24 text-right' : 'w-24 text-right'} title={numberText(value)}>
                {shortText(value)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}

function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : durationText(ms)
}
