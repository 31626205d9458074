import type { z } from 'zod'
import { StintError } from '../../core/errors.ts'
import type { LaterOptions } from '../../engine/later.ts'
import { type Route, route } from '../route.ts'
import { awaits } from '../schemas/jobs.ts'
import {
  attempt,
  claim,
  claimed,
  completion,
  failure,
  logLines,
  progress,
  renewal,
  renewed,
  retirement,
  snooze,
} from '../schemas/work.ts'
import { defined } from './common.ts'

const tag = 'Work'

const later = attempt.extend({
  events: awaits.shape.events.optional(),
  failOn: awaits.shape.failOn,
  timeoutMs: snooze.shape.delayMs.optional(),
})

/** For workers in any language. */
export const workRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/work/claim',
    id: 'claimJobs',
    tag,
    summary: 'Takes jobs for a worker, and waits for some with `waitMs`. The first claim makes the worker known.',
    role: 'work',
    body: claim,
    response: claimed,
    run: async ({ stint, body, services, request }) => {
      return await stint.work.claim(defined(body), { gone: request.signal, closing: services.closing })
    },
  }),
  route({
    method: 'post',
    path: '/work/renew',
    id: 'renewWorker',
    tag,
    summary: 'Renews the lease of a worker, and tells which of its attempts are to stop.',
    role: 'work',
    body: renewal,
    response: renewed,
    run: async ({ stint, body: { attempts = [], ...rest } }) => {
      const asked = attempts.map(attemptOf)
      const { alive, cancel, lost } = await stint.work.renew({ ...defined(rest), attempts: asked })
      return { alive, cancel, lost: lost.map(({ job, token }) => ({ jobId: job, token })) }
    },
  }),
  route({
    method: 'post',
    path: '/work/complete',
    id: 'completeAttempt',
    tag,
    summary: 'Ends an attempt with a result. The same once more is success.',
    role: 'work',
    body: completion,
    status: 204,
    run: ({ stint, body: { jobId, token, result, ...facts } }) => {
      return stint.work.complete({ job: jobId, token }, result, defined(facts))
    },
  }),
  route({
    method: 'post',
    path: '/work/fail',
    id: 'failAttempt',
    tag,
    summary: 'Ends an attempt with an error. The job is tried again as its policy says, unless it is terminal.',
    role: 'work',
    body: failure,
    status: 204,
    run: ({ stint, body: { jobId, token, error, terminal = false, ...facts } }) => {
      return stint.work.fail({ job: jobId, token }, error, { terminal, facts: defined(facts) })
    },
  }),
  route({
    method: 'post',
    path: '/work/snooze',
    id: 'snoozeAttempt',
    tag,
    summary: 'Ends an attempt that wants to be run again after a time. Nothing is charged, a bounded number of times.',
    role: 'work',
    body: snooze,
    status: 204,
    run: ({ stint, body: { delayMs, ...rest } }) => stint.work.snooze(attemptOf(rest), delayMs),
  }),
  route({
    method: 'post',
    path: '/work/later',
    id: 'suspendAttempt',
    tag,
    summary: 'Leaves an attempt open without a worker, until events or an answer from outside end it.',
    role: 'work',
    body: later,
    status: 204,
    run: ({ stint, body: { jobId, token, ...options } }) => {
      return stint.work.later({ job: jobId, token }, defined(options) as LaterOptions)
    },
  }),
  route({
    method: 'post',
    path: '/work/release',
    id: 'releaseAttempt',
    tag,
    summary: 'Gives an attempt back, for others to run. Nothing is charged.',
    role: 'work',
    body: attempt,
    status: 204,
    run: ({ stint, body }) => stint.work.giveBack(attemptOf(body)),
  }),
  route({
    method: 'post',
    path: '/work/progress',
    id: 'reportProgress',
    tag,
    summary: 'Saves how far an attempt is, and a checkpoint, which the next attempt gets if this one fails.',
    role: 'work',
    body: progress,
    status: 204,
    run: ({ stint, body: { jobId, token, done, total, checkpoint } }) => {
      if (done === undefined && total !== undefined) throw needsDone()
      const reached = done === undefined ? {} : { progress: { done, total: total ?? null } }
      return stint.work.progress({ job: jobId, token }, { ...reached, ...defined({ checkpoint }) })
    },
  }),
  route({
    method: 'post',
    path: '/work/logs',
    id: 'appendLog',
    tag,
    summary: 'Adds lines to the log of an attempt.',
    role: 'work',
    body: logLines,
    status: 204,
    run: async ({ stint, body: { jobId, token, from, lines } }) => {
      const now = Date.now()
      const numbered = lines.map((line, i) => ({
        seq: from + i,
        ...(typeof line === 'string' ? { at: now, line } : { at: Date.parse(line.at), line: line.line }),
      }))
      await stint.work.log({ job: jobId, token }, numbered)
    },
  }),
  route({
    method: 'post',
    path: '/work/retire',
    id: 'retireWorker',
    tag,
    summary: 'Forgets a worker that stops. What it still holds is given back.',
    role: 'work',
    body: retirement,
    status: 204,
    run: ({ stint, body }) => stint.work.retire(body.workerId),
  }),
]

function attemptOf({ jobId, token }: z.output<typeof attempt>) {
  return { job: jobId, token }
}

function needsDone(): StintError {
  const rule = 'must be given with total'
  return new StintError('invalid_argument', `done ${rule}.`, { field: 'done', rule })
}
