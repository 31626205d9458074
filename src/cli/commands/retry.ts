import type { Client } from '../../client/index.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { branchOf, reference } from '../names.ts'
import { jobShape } from '../shapes/job.ts'
import { duration, indexes } from '../values.ts'
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
    tasks: { value: indexes, about: 'The same, and tasks that are done but are to run again: 3,17-20.' },
    wait: { short: 'w', about: 'Waits until they have ended.' },
    timeout: { value: duration, about: 'How long to wait. Default no limit.' },
  },
  examples: [
    ['stint retry /reports/daily --wait', 'Again, and waits for the outcome.'],
    ["stint retry '/reports/**'", 'All failed jobs of a branch.'],
    ['stint retry /index/books --shards', 'Only the tasks that failed.'],
    ['stint retry /index/books --tasks 3,17-20', 'These tasks, and those that failed.'],
  ],
  run: async (call) => {
    const client = await call.client()
    const { tasks, wait, timeout } = call.options
    if (tasks !== undefined && call.args.jobs.some((typed) => branchOf(typed) !== null))
      throw new Failure('usage', '--tasks wants sharded jobs by name or id, not a branch.')
    const made = []
    for (const typed of call.args.jobs) {
      const branch = branchOf(typed)
      if (branch !== null)
        await operate(call, client, { action: 'retry' }, [{ branch, status: 'FINISHED', outcome: 'FAILED' }])
      else {
        const { output: _, result: __, ...job } = await again(client, reference(call, typed), call.options)
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

interface Selection {
  readonly shards: boolean
  readonly tasks: readonly number[] | undefined
}

function again(client: Client, job: string, { shards, tasks }: Selection) {
  if (tasks !== undefined) return client.shards.retry(job, { indexes: tasks })
  return (shards ? client.shards : client.jobs).retry(job)
}
