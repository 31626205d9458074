import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { reference } from '../names.ts'
import { jobPage, jobShape } from '../shapes/job.ts'

export const show = command({
  name: 'show',
  summary: 'Shows a job: state, reason, params, result, progress and attempts.',
  needs: 'server',
  prints: true,
  args: { job: { about: 'Its name or id. A name means the live job of that name, else the newest.', complete: 'job' } },
  examples: [
    ['stint show /reports/daily', 'By name.'],
    ['stint show /reports/daily --json | jq .result', 'Its result.'],
  ],
  run: async (call) => {
    const client = await call.client()
    const named = reference(call, call.args.job)
    const job = await client.jobs.get(named)
    if (job === null) throw missingJob(named)
    const [runs, notes] = await Promise.all([client.runs.list({ job: job.id }), client.jobs.notes(job.id)])
    const shape = {
      ...jobShape,
      sheet: (_: unknown, screen: Parameters<typeof jobPage>[3]) => jobPage(job, runs.items, notes, screen),
    }
    call.print.one(job, shape, { runs: runs.items, ...notes })
  },
})

export function missingJob(named: string): Failure {
  return new Failure('notFound', `There is no job ${named}.`, 'See what there is: stint list, stint tree.')
}
