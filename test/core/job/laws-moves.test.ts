import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogueType } from '../../../src/core/job/events.ts'
import { evolve } from '../../../src/core/job/evolve.ts'
import { type Job, lateFrom, type Run, type State, seatOf, statusOf } from '../../../src/core/job/job.ts'
import { runEndedBy } from '../../../src/core/job/run.ts'
import { command, plan } from './arbitrary.ts'
import {
  attempt,
  codeOf,
  expectCode,
  expectOneOf,
  expectSame,
  holds,
  type Life,
  live,
  numRuns,
  transitionsOf,
} from './life.ts'

type Move = `${State | 'none'} → ${State}`

/** Every move that exists, by the event that makes it. */
const legal: Readonly<Record<CatalogueType, readonly Move[]>> = {
  'job.created': ['none → initial'],
  'job.queued': ['initial → initial', 'error → error'],
  'job.edited': ['initial → initial'],
  'job.run.started': ['initial → running', 'error → running'],
  'job.run.suspended': ['running → running'],
  'job.run.completed': ['running → final'],
  'job.run.failed': ['running → error', 'running → final'],
  'job.run.skipped': ['initial → final'],
  'job.cancel.requested': ['running → running'],
  'job.cancelled': ['initial → final', 'error → final'],
  'job.expired': ['error → final'],
  'job.held': ['initial → initial'],
  'job.run.resumed': ['running → running'],
  'job.run.planned': ['running → running'],
  'job.run.queued': ['running → running'],
  'task.slice.completed': ['running → running'],
  'task.slice.failed': ['running → running'],
}

const moveOf = (before: Job | null, after: Job): Move => `${before?.state ?? 'none'} → ${after.state}`

/** The states of a life after each command. */
function statesOf(life: Life): readonly Job[] {
  return life.deeds.flatMap(({ after }) => (after === null ? [] : [after]))
}

describe('moves', () => {
  it('no command makes a move that does not exist', () => {
    holds((life) => {
      for (const { before, event, after } of transitionsOf(life)) {
        expectOneOf(moveOf(before, after), legal[event.type])
      }
    })
  })

  it('no event makes a move that does not exist, whatever the log holds', () => {
    const law = fc.property(plan, plan, (one, other) => {
      const { job } = live(one)
      for (const event of live(other).own) {
        const next = { ...event, version: (job?.version ?? 0) + 1 }
        const code = codeOf(() => expectOneOf(moveOf(job, evolve(job, next)), legal[event.type]))
        expectOneOf(code, [null, 'illegal_transition'])
      }
    })
    fc.assert(law, { numRuns })
  })

  it('final never changes, whatever command or event comes', () => {
    const law = fc.property(plan, fc.array(command, { maxLength: 10 }), plan, (given, commands, other) => {
      const { job, now, deeds } = live(given)
      for (const { before, after, events } of deeds) {
        if (before?.state === 'final') expectSame(after === before && events.length === 0, true)
      }
      if (job?.state !== 'final') return
      for (const next of commands) {
        const decided = attempt(job, next, now + 1_000_000)
        if (typeof decided !== 'string') expectSame(decided, { events: [], effects: [] })
      }
      for (const event of live(other).own) {
        expectCode('illegal_transition', () => evolve(job, { ...event, version: job.version + 1 }))
      }
    })
    fc.assert(law, { numRuns })
  })

  it('what a job is changes only by an edit before the first dispatch, its time also by the end of an attempt', () => {
    const changing = ['state', 'phase', 'version', 'attempt', 'charged', 'snoozes', 'suspect', 'error', 'outcome']
    const life = [
      'cancelled',
      'resultDigest',
      'cancelRequestedAt',
      'cancelReason',
      'token',
      'workerId',
      'attemptDeadlineAt',
      'awaits',
    ]
    const shards = ['shards', 'slices', 'upstream', 'output']
    const times = ['queuedAt', 'startedAt', 'finishedAt', 'updatedAt']
    const free = new Set([...changing, ...life, ...shards, ...times])
    const ofSlices: readonly string[] = ['task.slice.completed', 'task.slice.failed']
    const editable = new Set(['priority', 'position', 'scheduledFor', 'paramsDigest'])
    holds((lived) => {
      for (const { before, event, after } of transitionsOf(lived)) {
        if (before === null) continue
        for (const name of Object.keys(before) as (keyof Job)[]) {
          if (free.has(name) || before[name] === after[name]) continue
          const edited = event.type === 'job.edited' && before.attempt === 0 && editable.has(name)
          const isPutOff = name === 'scheduledFor' && (event.type === 'job.run.failed' || ofSlices.includes(event.type))
          const isBehind = name === 'position' && event.type === 'task.slice.completed'
          const isResolved = name === 'paramsDigest' && event.type === 'job.queued' && before.attempt === 0
          expectSame([name, edited || isPutOff || isBehind || isResolved], [name, true])
        }
      }
    })
  })
})

describe('state, phase and the fields that go with them', () => {
  const phases: Readonly<Record<State, readonly string[]>> = {
    initial: ['pending', 'queued'],
    running: ['running', 'awaiting', 'queued'],
    error: ['pending', 'queued'],
    final: ['final'],
  }

  it('agree at every point', () => {
    holds((life) => {
      for (const { after: job } of transitionsOf(life)) {
        expectOneOf(job.phase, phases[job.state])
        expectSame(job.finishedAt !== null, job.state === 'final')
        expectSame(job.workerId !== null, job.state === 'running' && job.phase !== 'queued')
        expectSame(job.cancelReason !== null, job.cancelRequestedAt !== null)
        expectSame([job.token !== null, job.startedAt !== null], [job.attempt > 0, job.attempt > 0])
        expectSame(job.queuedAt !== null || job.phase === 'pending' || job.state === 'final', true)
        if (job.state !== 'running') expectSame(job.attemptDeadlineAt, null)
        if (job.state === 'final') expectSame(job.awaits, null)
        if (job.state !== 'final') expectSame(job.cancelled, false)
        if (job.state !== 'final' && job.task === null) expectSame(job.resultDigest, null)
        expectSame(job.slices !== null, job.task !== null)
      }
    })
  })

  it('a job shows as cancelled only when it was cancelled, or skipped as cancelled', () => {
    holds((life) => {
      for (const { event, after: job } of transitionsOf(life)) {
        const isCancel = event.type === 'job.cancelled' || (event.type === 'job.run.skipped' && event.data.cancelled)
        expectSame(job.cancelled, isCancel)
      }
    })
  })

  it('error is null in initial and running, and says something in error', () => {
    holds((life) => {
      for (const { after: job } of transitionsOf(life)) {
        if (job.state === 'error') expect(job.error?.length).toBeGreaterThan(0)
        if (job.state === 'initial' || job.state === 'running') expectSame(job.error, null)
      }
    })
  })

  it('show the status of the table', () => {
    const shown = { initial: 'QUEUED', running: 'RUNNING', error: 'QUEUED' } as const
    holds((life) => {
      for (const job of statesOf(life)) {
        expectSame(statusOf(job), job.state !== 'final' ? shown[job.state] : job.cancelled ? 'CANCELLED' : null)
      }
    })
  })

  it('a job can be claimed exactly when its seat is ready and it is not too late', () => {
    holds(({ deeds }) => {
      for (const { before, now } of deeds) {
        if (before === null) continue
        const claimed = attempt(before, { type: 'claim', workerId: 'w', token: 'fresh' }, now)
        const inTime = (lateFrom(before) ?? Number.POSITIVE_INFINITY) > now
        expectSame(typeof claimed !== 'string', seatOf(before, now) === 'ready' && inTime)
        expectSame(seatOf(before, now) === 'claim', before.phase === 'running')
      }
    })
  })
})

describe('attempts', () => {
  it('attempt goes up by one on entering running, and only there', () => {
    holds((life) => {
      for (const { before, event, after } of transitionsOf(life)) {
        const entered = before?.state !== 'running' && after.state === 'running'
        expectSame(after.attempt - (before?.attempt ?? 0), entered ? 1 : 0)
        if ('attempt' in event.data) expectSame(event.data.attempt, after.attempt)
      }
    })
  })

  it('charged counts failures, timeouts and lost workers, nothing else, and never passes maxAttempts', () => {
    const charging = ['failed', 'timeout']
    holds((life) => {
      for (const { before, event, after } of transitionsOf(life)) {
        const inVain = event.type === 'job.run.failed' ? event.data : null
        const isLost = inVain?.reason === 'lease_lost'
        const isCharged = isLost ? inVain.charged : charging.includes(inVain?.reason ?? '')
        expectSame(after.charged - (before?.charged ?? 0), isCharged ? 1 : 0)
        expect(after.charged).toBeLessThanOrEqual(after.retry.maxAttempts)
      }
    })
  })

  it('a lost worker is charged to the job that was alone with it, or was suspect before', () => {
    holds(({ deeds }) => {
      for (const { before, command, after } of deeds) {
        if (command.type !== 'lose' || before === null || before.phase !== 'running') continue
        if (after === null || after === before || after.cancelled || after.task !== null) continue
        expectSame(after.charged - before.charged, command.alone || before.suspect ? 1 : 0)
        expectSame(after.suspect, true)
      }
    })
  })

  it('snoozes counts snoozes, nothing else, and never passes maxSnoozes', () => {
    holds((life) => {
      for (const { before, event, after } of transitionsOf(life)) {
        const isFailure = event.type === 'job.run.failed' || event.type === 'task.slice.failed'
        const isSnooze = isFailure && event.data.reason === 'snoozed'
        expectSame(after.snoozes - (before?.snoozes ?? 0), isSnooze ? 1 : 0)
        expect(after.snoozes).toBeLessThanOrEqual(after.retry.maxSnoozes)
      }
    })
  })

  it('an attempt has the time that the job gives it, from its start', () => {
    holds((life) => {
      for (const { event, after } of transitionsOf(life)) {
        if (event.type !== 'job.run.started') continue
        expectSame([after.startedAt, event.data.attemptDeadlineAt], [event.at, after.attemptDeadlineAt])
        expectSame(after.attemptDeadlineAt, after.timeoutMs === null ? null : event.at + after.timeoutMs)
      }
    })
  })

  it('every attempt that ended has one run, and the outcome of a final job is that of its last run', () => {
    holds((life) => {
      const runs: Run[] = []
      for (const { before, event, after } of transitionsOf(life)) {
        const run = before === null ? null : runEndedBy(before, event)
        if (run !== null) runs.push(run)
        const ended = after.state === 'running' ? after.attempt - 1 : after.attempt
        const expected = after.outcome === 'SKIPPED' ? [0] : Array.from({ length: ended }, (_, i) => i + 1)
        expectSame(
          runs.map((each) => each.attempt),
          expected,
        )
        if (after.state === 'final') expectSame(after.outcome, runs.at(-1)?.status ?? null)
      }
    })
  })
})

describe('slices', () => {
  it('are saved one after the other, never twice, and those that fail or get nowhere in a row are bounded', () => {
    holds((life) => {
      for (const { before, event, after } of transitionsOf(life)) {
        if (after.slices === null || after.task === null) continue
        const isSaved = event.type === 'task.slice.completed'
        const isLast = event.type === 'job.run.completed'
        expectSame(after.slices.seq - (before?.slices?.seq ?? 0), isSaved || isLast ? 1 : 0)
        if (isSaved) expectSame([after.slices.failures, after.resultDigest], [0, event.data.stateDigest])
        expect(after.slices.failures).toBeLessThan(after.task.slice.maxFailures)
        expect(after.slices.idle).toBeLessThan(after.task.slice.maxIdle)
      }
    })
  })

  it('of a task that begins anew begin with its initial state', () => {
    holds((life) => {
      for (const { event, after } of transitionsOf(life)) {
        if (event.type !== 'job.run.failed' || after.slices === null) continue
        const { failures, idle, progress } = after.slices
        expectSame([failures, idle, progress, after.resultDigest], [0, 0, null, null])
      }
    })
  })
})
