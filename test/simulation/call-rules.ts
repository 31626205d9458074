import type {
  ApplyRequest,
  ApplyResult,
  Completed,
  Completion,
  Report,
  Submission,
  SubmitResult,
} from '../../src/store/store.ts'
import { BrokenInvariant } from './broken-invariant.ts'
import type { Mirror } from './mirror.ts'
import type { Applied } from './network.ts'
import type { Sometimes } from './sometimes.ts'

/**
 * What a call may do, held against the jobs as they were before it. A write in the name of an attempt is done only with the
 * token that is current, and only by the life of the process that claimed it.
 */
export function checkCall(mirror: Mirror, applied: Applied, sometimes: Sometimes): void {
  const { method, args, result } = applied
  if ('error' in result) return
  const [items] = args
  if (method === 'apply') {
    checkCommands(mirror, applied, items as readonly ApplyRequest[], result.value as readonly ApplyResult[], sometimes)
  }
  if (method === 'complete') {
    const { done } = result.value as Completed
    for (const [i, { job }] of (items as readonly Completion[]).entries()) {
      if (done[i] === true) checkRight(mirror, applied, job.job.id, job.job.token ?? '')
    }
  }
  if (method === 'report') {
    const told = result.value as readonly boolean[]
    for (const [i, { jobId, token }] of (items as readonly Report[]).entries()) {
      if (told[i] === true) checkRight(mirror, applied, jobId, token)
    }
  }
  if (method === 'submit') {
    const results = result.value as readonly SubmitResult[]
    for (const [i, { parent }] of (items as readonly Submission[]).entries()) {
      if (parent && results[i]?.outcome === 'created') checkRight(mirror, applied, parent.jobId, parent.token)
    }
  }
}

function checkCommands(
  mirror: Mirror,
  applied: Applied,
  requests: readonly ApplyRequest[],
  results: readonly ApplyResult[],
  sometimes: Sometimes,
): void {
  for (const [i, { job, command }] of requests.entries()) {
    const id = typeof job === 'string' ? job : job.job.id
    const done = results[i]
    if (command.type !== 'finish' && command.type !== 'giveBack' && command.type !== 'lose') continue
    if (done?.ok === false && done.error.code === 'stale_token') {
      if (command.type === 'finish') sometimes.hit('stale complete refused')
      continue
    }
    if (!done?.ok || done.events.length === 0) continue
    if (command.type === 'lose') checkLoss(mirror, id, command.token)
    else checkRight(mirror, applied, id, command.token)
  }
}

/** Nobody takes a job away from a worker that lives. */
function checkLoss(mirror: Mirror, jobId: string, token: string): void {
  checkToken(mirror, jobId, token, 'lose')
  const workerId = mirror.get(jobId)?.job.workerId ?? ''
  if (!mirror.living.has(workerId)) return
  throw new BrokenInvariant('I11 OnlyTheLost', `${jobId} was taken away from worker ${workerId}, which lives.`)
}

function checkRight(mirror: Mirror, { caller, method }: Applied, jobId: string, token: string): void {
  checkToken(mirror, jobId, token, method)
  if (mirror.claimedBy.get(token) === caller) return
  throw new BrokenInvariant(
    'I4 Fenced',
    `${caller.name} did ${method} for an attempt of ${jobId} that it never claimed.`,
  )
}

function checkToken(mirror: Mirror, jobId: string, token: string, what: string): void {
  if (mirror.isCurrent(jobId, token)) return
  const { phase, token: current } = mirror.get(jobId)?.job ?? {}
  const message = `${what} with token ${token} changed ${jobId}, which was ${phase} with token ${current}.`
  throw new BrokenInvariant('I4 Fenced', message)
}
