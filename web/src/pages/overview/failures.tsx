import { Link } from '@tanstack/react-router'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { numberText } from '../../ui/number.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Section } from '../../ui/section.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { searchFor } from '../failures/cause-search.ts'

const shownMax = 8

/** Why jobs fail, the newest cause first. */
export function Failures() {
  const { client } = useSession()
  const failures = useLiveQuery(
    { queryKey: ['failures'], queryFn: () => client.failures() },
    { on: ({ eventType }) => eventType === 'job.run.failed' || eventType === 'job.expired', everyMs: 3_000 },
  )
  const data = failures.data
  return (
    <Section
      title="Failures by cause"
      aside={
        data !== undefined && data.looked > 0 && `of ${data.more ? 'the newest' : 'all'} ${numberText(data.looked)}`
      }
    >
      <Answer query={failures}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="Nothing has failed.">
              Jobs that failed for good are put together here by what their errors share.
            </Empty>
          ) : (
            <Rows
              label="Failures by cause"
              head={[['Jobs', 'right'], 'Type', 'Error', ['Last', 'right']]}
              widths={['3.5rem', '7.5rem', 'auto', '5.5rem']}
              rows={items.slice(0, shownMax).map(({ type, fingerprint, error, count, lastAt }) => [
                `${type} ${fingerprint}`,
                numberText(count),
                <span key="type" className="text-ink-2">
                  {type}
                </span>,
                <Link
                  key="error"
                  to="/jobs"
                  search={{ status: 'failed', q: searchFor({ type, fingerprint }) } as never}
                  title={error}
                  className="text-fail hover:underline"
                >
                  {fingerprint}
                </Link>,
                <Ago key="last" at={lastAt} />,
              ])}
            />
          )
        }
      </Answer>
    </Section>
  )
}
