import type { SlotView } from 'stint/client'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { JobLink } from '../../ui/job-link.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Section } from '../../ui/section.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { JobStatus } from '../../ui/status.tsx'

/** The job that a slot stands below made it, if there is one. Its graph says who gets the value. */
export function Waiters({ slot }: { readonly slot: SlotView }) {
  const { client } = useSession()
  const found = useLiveQuery(
    {
      queryKey: ['slots', slot.id, 'waiters'],
      queryFn: async () => {
        const parent = slot.path.slice(0, slot.path.lastIndexOf('/'))
        const job = parent === '' ? null : await client.jobs.get(parent)
        if (job === null) return { job, waiters: [] }
        const { jobs, edges } = await client.jobs.graph(job.id)
        const to = new Set(edges.filter(({ from }) => from === slot.id).map((edge) => edge.to))
        return { job, waiters: jobs.filter(({ id }) => to.has(id)) }
      },
    },
    { on: ({ eventType }) => /^(job|slot)\./.test(eventType), everyMs: 3_000 },
  )
  return (
    <Section title="Whom it concerns">
      <Answer query={found} rows={3}>
        {({ job, waiters }) =>
          job === null ? (
            <Empty title="It belongs to no job.">
              Jobs anywhere may wait for it; each of them says so on its own page.
            </Empty>
          ) : (
            <Rows
              label="Whom it concerns"
              head={['Status', 'Job', 'How']}
              widths={['6.75rem', 'auto', '6.5rem']}
              rows={[job, ...waiters].map((each) => [
                `${each.id} ${each === job}`,
                <JobStatus key="status" job={each} />,
                <JobLink key="job" job={each} />,
                <span key="how" className="text-ink-3">
                  {each === job ? 'made it' : 'waits for it'}
                </span>,
              ])}
            />
          )
        }
      </Answer>
    </Section>
  )
}
