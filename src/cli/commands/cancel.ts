import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import type { NewOperation, OperationFilter, OperationView } from '../../client/operations.ts'
import type { Call } from '../call.ts'
import { command } from '../command.ts'
import { Failure } from '../exit.ts'
import { branchOf, reference } from '../names.ts'
import { harmless } from '../output/text.ts'
import { jobShape } from '../shapes/job.ts'
import { text } from '../values.ts'

export const cancel = command({
  name: 'cancel',
  summary: 'Cancels jobs, and everything below their names.',
  details: 'Waiting jobs end at once. Running ones are asked to stop, and killed if they do not.',
  needs: 'server',
  prints: true,
  args: { jobs: { about: 'Names or ids; or a branch: /reports/**.', many: true, complete: 'job' } },
  options: {
    reason: { value: text('text'), about: 'Why, for the log.' },
    branch: { negated: true, about: 'Does not cancel the jobs below the name.' },
  },
  examples: [
    ['stint cancel /reports/daily', 'A job and everything below it.'],
    ["stint cancel '/reports/**' --reason 'wrong data'", 'All live jobs of a branch.'],
  ],
  run: async (call) => {
    const client = await call.client()
    const { reason, branch } = call.options
    const why = reason === undefined ? {} : { reason }
    const done = []
    for (const typed of call.args.jobs) {
      const whole = branchOf(typed)
      if (whole === null) done.push(await client.jobs.cancel(reference(call, typed), { ...why, branch }))
      // What waits first, so that it does not start when what runs makes room for it.
      else
        await operate(
          call,
          client,
          { action: 'cancel', ...why },
          ['QUEUED', 'RUNNING'].map((status) => ({ branch: whole, status }) as OperationFilter),
        )
    }
    if (done.length > 0) call.print.list(done, jobShape)
  },
})

const lookMs = 100

/** Does something to all jobs of some filters, one after the other, in the background of the server, and says what was done. */
export async function operate(
  call: Pick<Call, 'interrupted' | 'say' | 'common'>,
  client: Client,
  asked: Omit<NewOperation, 'filter'>,
  filters: readonly OperationFilter[],
): Promise<void> {
  if (call.common.db !== undefined)
    throw new Failure('usage', 'A whole branch needs a server: it is done in the background there.')
  let [done, refused, first] = [0, 0, '']
  for (const filter of filters) {
    const { counts, status, error } = await ended(call, client, await client.operations.begin({ ...asked, filter }))
    done += counts.done
    refused += counts.refused
    first ||= counts.firstRefusal ?? ''
    if (status === 'FAILED') throw new Failure('failed', error ?? 'The operation failed.')
  }
  const words = asked.action === 'cancel' ? 'cancelled' : 'submitted again'
  call.say(
    `${done} ${done === 1 ? 'job' : 'jobs'} ${words}${refused > 0 ? `, ${refused} not: ${harmless(first)}` : '.'}`,
  )
}

async function ended(call: Pick<Call, 'interrupted'>, client: Client, begun: OperationView): Promise<OperationView> {
  let operation = begun
  while ((operation.status === 'QUEUED' || operation.status === 'RUNNING') && !call.interrupted.aborted) {
    await sleep(lookMs, undefined, { signal: call.interrupted }).catch(() => {})
    operation = await client.operations.get(operation.id)
  }
  return operation
}
