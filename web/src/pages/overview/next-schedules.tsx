import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { PathLink } from '../../ui/path-link.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Section } from '../../ui/section.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'

const shownMax = 8
const readMax = 200

/** What fires next. */
export function NextSchedules() {
  const { client } = useSession()
  const schedules = useLiveQuery(
    { queryKey: ['schedules', 'next'], queryFn: () => client.schedules.list({ limit: readMax }) },
    { on: ({ eventType }) => eventType.startsWith('schedule.'), everyMs: 2_000 },
  )
  return (
    <Section title="Next schedules">
      <Answer query={schedules}>
        {({ items }) => {
          const next = items
            .filter(({ nextTriggerAt }) => nextTriggerAt !== null)
            .sort((a, b) => (a.nextTriggerAt?.getTime() ?? 0) - (b.nextTriggerAt?.getTime() ?? 0))
          return next.length === 0 ? (
            <Empty title="No schedule will fire.">
              A schedule makes jobs by time, and those that are next stand here.
            </Empty>
          ) : (
            <Rows
              label="Next schedules"
              head={['Schedule', 'When', ['Next', 'right']]}
              widths={['auto', '45%', '5.5rem']}
              rows={next.slice(0, shownMax).map(({ id, path, description, nextTriggerAt }) => [
                id,
                <PathLink key="path" to="/schedules" id={id} path={path} />,
                <span key="when" className="text-ink-2" title={description}>
                  {description}
                </span>,
                <Ago key="next" at={nextTriggerAt} />,
              ])}
            />
          )
        }}
      </Answer>
    </Section>
  )
}
