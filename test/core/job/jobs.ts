/** Jobs at the places where examples begin. Each is made by commands, never by hand. */
import type { Awaits } from '../../../src/core/job/awaits.ts'
import type { Command, Ending } from '../../../src/core/job/commands.ts'
import { type Step, step } from '../../../src/core/job/decide.ts'
import type { JobEvent } from '../../../src/core/job/events.ts'
import { defaultRetry, type Job, type JobSpec } from '../../../src/core/job/job.ts'
import type { OutsideEvent } from '../../../src/core/job/outside-event.ts'

export const t0 = 1_000_000
export const token = 'token-1'
export const worker = 'worker-1'

export function aSpec(overrides: Partial<JobSpec> = {}): JobSpec {
  return {
    id: 'p:d:n:job',
    name: '/n/job',
    type: 'mail',
    key: null,
    labels: {},
    templateId: null,
    scheduleId: null,
    groupId: null,
    retryOf: null,
    submittedBy: null,
    replaces: null,
    paramsDigest: null,
    priority: 0,
    position: 100,
    scheduledFor: t0,
    expiresAt: null,
    retry: defaultRetry,
    timeoutMs: null,
    deadlineAt: null,
    awaits: null,
    onFailure: null,
    limits: [],
    task: null,
    needs: null,
    rerun: null,
    ...overrides,
  }
}

export function submit(overrides: Partial<JobSpec> = {}, options: { pending?: boolean; skip?: string } = {}): Step {
  const { pending = false, skip = null } = options
  return step(null, { type: 'submit', spec: aSpec(overrides), pending, skip }, t0)
}

export function queued(overrides: Partial<JobSpec> = {}): Job {
  return submit(overrides).job
}

export function pending(overrides: Partial<JobSpec> = {}): Job {
  return submit(overrides, { pending: true }).job
}

export function claim(job: Job, now: number = job.scheduledFor, given: string = token): Job {
  return step(job, { type: 'claim', workerId: worker, token: given }, now).job
}

/** Running with `token`, since t0. */
export function running(overrides: Partial<JobSpec> = {}): Job {
  return claim(queued(overrides))
}

/** Suspended at t0. */
export function awaiting(awaits: Awaits | null, overrides: Partial<JobSpec> = {}, until: number | null = null): Job {
  return finish(running(overrides), { kind: 'suspended', awaits, until }).job
}

/** In state `error` after one failure at t0, due again at t0. */
export function failedOnce(overrides: Partial<JobSpec> = {}): Job {
  return finish(running(overrides), failure()).job
}

export function failure(
  error = 'boom',
  more: { terminal?: boolean; random?: number } = {},
): Ending & { kind: 'failed' } {
  return { kind: 'failed', error, terminal: false, random: 0, ...more }
}

export function finish(job: Job, ending: Ending, now: number = t0): Step {
  return step(job, { type: 'finish', token: job.token ?? 'none', ending }, now)
}

/** Gives a command to a job at a time; most examples are this and a look at what came of it. */
export function give(job: Job, command: Command, now: number = t0): Step {
  return step(job, command, now)
}

export function outside(key: string, type: string, more: Partial<OutsideEvent> = {}): OutsideEvent {
  const observed = { executionId: null, traceId: null, spanId: null }
  return { key, type, taskId: null, at: t0, attributes: {}, ...observed, ...more }
}

/** What an example says about events: their types and data. The laws hold the rest. */
export function factsOf(events: readonly JobEvent[]): readonly unknown[] {
  return events.map(({ type, data }) => ({ type, data }))
}
