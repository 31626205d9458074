import { command } from '../command.ts'
import { branchOf, reference } from '../names.ts'
import { jobShape } from '../shapes/job.ts'
import { duration } from '../values.ts'
import { endText, requireCompleted, waitForJob } from '../watch/wait-for-job.ts'
import { operate } from './cancel.ts'

export const retry = command({
  name: 'retry',
  summary: 'Runs jobs that have ended again, as new jobs with the same name and params.',
  needs: 'server',
  prints: true,
  args: {
    jobs: {
      about: 'Names or ids; or a branch, to retry everything that failed in it: /reports/**.',
      many: true,
      complete: 'job',
    },
  },
  options: {
    shards: { about: 'Only the tasks of a sharded job that were not done.' },
    wait: { short: 'w', about: 'Waits until they have ended.' },
    timeout: { value: duration, about: 'How long to wait. Default no limit.' },
  },
  examples: [
    ['stint retry /reports/daily --wait', 'Again, and waits for the outcome.'],
    ["stint retry '/reports/**'", 'All failed jobs of a branch.'],
    ['stint retry /index/books --shards', 'Only the tasks that failed.'],
  ],
  run: async (call) => {
    const client = await call.client()
    const { shards, wait, timeout } = call.options
    const made = []
    for (const typed of call.args.jobs) {
      const branch = branchOf(typed)
      if (branch !== null)
        await operate(call, client, { action: 'retry' }, [{ branch, status: 'FINISHED', outcome: 'FAILED' }])
      else {
        const {
          output: _,
          result: __,
          ...job
        } = await (shards ? client.shards : client.jobs).retry(reference(call, typed))
        made.push({ ...job, result: null })
      }
    }
    if (made.length === 0) return
    if (!wait) {
      call.print.list(made, jobShape)
      return
    }
    const ended = []
    for (const job of made) {
      ended.push(await waitForJob(call, job, timeout))
      call.say(endText(ended.at(-1) as (typeof ended)[number], call.terminal.err))
    }
    if (!call.print.isForPeople) call.print.list(ended, jobShape)
    for (const job of ended) requireCompleted(job)
  },
})
