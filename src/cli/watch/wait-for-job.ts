import { StintError } from '../../core/errors.ts'
import type { JobView } from '../../engine/job-view.ts'
import type { Call } from '../call.ts'
import { Failure } from '../exit.ts'
import { harmless } from '../output/text.ts'
import { durationText } from '../output/times.ts'
import { statusOf, statusText } from '../shapes/status.ts'
import { follow } from './follow.ts'
import { lookAtJob } from './watched.ts'

const ends = new Set(['job_failed', 'job_cancelled', 'job_skipped'])

/** Waits for the end of a job, with its progress where somebody sees it, and gives it as it is then. */
export async function waitForJob(
  call: Call,
  { id, name }: Pick<JobView, 'id' | 'name'>,
  timeoutMs: number | undefined,
): Promise<JobView> {
  const client = await call.client()
  const { err } = call.terminal
  const waiting = new AbortController()
  const signal = AbortSignal.any([call.interrupted, waiting.signal])
  const ended = client.jobs.result(id, { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
  const drawn = err.isTerminal ? follow([lookAtJob(client, id)], { screen: err, signal, keep: false }) : null
  try {
    await ended
  } catch (error) {
    if (call.interrupted.aborted) throw interrupted(name)
    if (!(error instanceof StintError && ends.has(error.code))) throw error
  } finally {
    waiting.abort()
    await drawn?.catch(() => {})
  }
  const job = await client.jobs.get(id)
  if (job === null) throw new StintError('not_found', `Job ${id} is gone.`)
  return job
}

function interrupted(name: string): Failure {
  return new Failure('interrupted', 'Interrupted. The job goes on.', `Follow it with: stint watch ${name}`)
}

/** Says how a job ended. */
export function endText(job: JobView, { colors }: Call['terminal']['err']): string {
  const took =
    job.startedAt === null || job.finishedAt === null
      ? ''
      : ` in ${durationText(job.finishedAt.getTime() - job.startedAt.getTime())}`
  const tries = job.attempt > 1 ? ` after ${job.attempt} attempts` : ''
  const error = job.error === null ? '' : `\n  ${harmless(job.error)}`
  return `${statusText(statusOf(job), colors)} ${harmless(job.name)}${colors.dim(`${took}${tries}`)}${error}`
}

/** How a job that was waited for decides about the end of the command. Why it failed was told already. */
export function requireCompleted(job: JobView): void {
  if (statusOf(job) !== 'COMPLETED') throw new Failure('failed', '')
}
