import { useLiveQuery } from '../data/live-query.ts'
import { useSession } from '../data/session.tsx'
import { Rows } from './rows.tsx'
import { Section } from './section.tsx'
import { Answer } from './states.tsx'
import { Time } from './time.tsx'

const shownMax = 100

/** What the log says of something that is described rather than run, and who did it; the newest first. */
export function History({
  record,
  title = 'What happened to it',
}: {
  readonly record: string
  readonly title?: string
}) {
  const { client } = useSession()
  const entries = useLiveQuery(
    {
      queryKey: ['events', 'record', record],
      queryFn: () => client.events.list({ record, limit: shownMax }),
    },
    { on: ({ eventType }) => /^(template|slot|group|schedule|webhook|key)\./.test(eventType) },
  )
  return (
    <Section title={title}>
      <Answer query={entries} rows={3}>
        {({ items }) => (
          <Rows
            label={title}
            head={['Event', 'By', ['When', 'right']]}
            widths={['auto', '40%', '9rem']}
            rows={items.toReversed().map(({ eventId, eventType, actor, cause, occurredAt }) => [
              eventId,
              <code key="type">{eventType}</code>,
              <span key="actor" className="text-ink-2">
                {actor ?? <span className="text-ink-3">{cause ?? 'the program itself'}</span>}
              </span>,
              <Time key="at" at={occurredAt} />,
            ])}
          />
        )}
      </Answer>
    </Section>
  )
}
