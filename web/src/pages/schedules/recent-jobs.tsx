import { Link } from '@tanstack/react-router'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { JobLink } from '../../ui/job-link.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Section } from '../../ui/section.tsx'
import { Answer, Empty } from '../../ui/states.tsx'
import { JobStatus } from '../../ui/status.tsx'
import { Ago, Elapsed } from '../../ui/time.tsx'

const shownMax = 12

/** The newest jobs at or below a path. */
export function RecentJobs({ branch }: { readonly branch: string }) {
  const { client } = useSession()
  const jobs = useLiveQuery(
    { queryKey: ['jobs', 'recent', branch], queryFn: () => client.jobs.list({ branch, limit: shownMax }) },
    { on: ({ eventType }) => eventType.startsWith('job.'), everyMs: 2_000 },
  )
  return (
    <Section
      title="Its newest jobs"
      aside={
        <Link
          to="/jobs"
          search={{ q: /\s/.test(branch) ? `name:"${branch}"` : `name:${branch}` } as never}
          className="hover:underline"
        >
          all of them
        </Link>
      }
    >
      <Answer query={jobs} rows={5}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No jobs yet.">Those that it makes stand here, and all that happened to them.</Empty>
          ) : (
            <Rows
              label="Its newest jobs"
              head={['Status', 'Name', ['Took', 'right'], ['Created', 'right']]}
              widths={['6.75rem', 'auto', '6rem', '6rem']}
              rows={items.map((job) => [
                job.id,
                <JobStatus key="status" job={job} />,
                <JobLink key="name" job={job}>
                  {job.name.slice(branch.length + 1) || job.name}
                </JobLink>,
                <Elapsed key="took" from={job.startedAt} to={job.finishedAt} />,
                <Ago key="created" at={job.createdAt} />,
              ])}
            />
          )
        }
      </Answer>
    </Section>
  )
}
