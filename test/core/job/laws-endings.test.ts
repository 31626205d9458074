import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, step } from '../../../src/core/job/decide.ts'
import type { FailureReason } from '../../../src/core/job/events.ts'
import type { Job } from '../../../src/core/job/job.ts'
import { ending, plan } from './arbitrary.ts'
import { attempt, type Deed, expectCode, expectOneOf, expectSame, holds, live, numRuns, transitionsOf } from './life.ts'

const isEnding = ({ command }: Deed): boolean => command.type === 'finish' || command.type === 'giveBack'

describe('tokens', () => {
  it('the same end given again with the same token, right after success, is success and writes nothing', () => {
    holds(({ deeds }) => {
      for (const deed of deeds) {
        if (!isEnding(deed) || deed.refusal !== null || deed.after === null) continue
        const again = step(deed.after, deed.command, deed.now + 1)
        expectSame([again.events, again.effects, again.job === deed.after], [[], [], true])
      }
    })
  })

  it('an older or unknown token is stale, whatever it brings', () => {
    const law = fc.property(plan, ending, (given, brought) => {
      const { deeds, job, now, tokens } = live(given)
      for (const deed of deeds) {
        if (deed.before === null || !('token' in deed.command) || deed.command.type === 'claim') continue
        if (deed.command.token !== deed.before.token) expectSame(deed.refusal, 'stale_token')
      }
      if (job === null) return
      for (const token of [...tokens.slice(0, -1), 'unknown', '']) {
        expectCode('stale_token', () => decide(job, { type: 'finish', token, ending: brought }, now))
        expectCode('stale_token', () => decide(job, { type: 'giveBack', token }, now))
        expectCode('stale_token', () => decide(job, { type: 'lose', token, random: 0, alone: true }, now))
      }
    })
    fc.assert(law, { numRuns })
  })

  it('the token of an attempt that holds the job no more writes nothing', () => {
    const law = fc.property(plan, ending, (given, brought) => {
      const { job, now } = live(given)
      if (job?.token == null || job.phase === 'running') return
      const { token } = job
      for (const command of [
        { type: 'finish', token, ending: brought } as const,
        { type: 'giveBack', token } as const,
      ]) {
        const decided = attempt(job, command, now)
        expectSame(typeof decided === 'string' ? [] : decided.events, [])
      }
      expectCode('stale_token', () => decide(job, { type: 'lose', token, random: 0, alone: true }, now))
    })
    fc.assert(law, { numRuns })
  })

  it('an attempt that was lost or ran out of time can bring nothing any more', () => {
    const law = fc.property(plan, ending, (given, brought) => {
      for (const { command, before, after, now, events } of live(given).deeds) {
        if ((command.type !== 'lose' && command.type !== 'elapse') || before?.phase !== 'running') continue
        if (events.length === 0 || after === null || after.cancelled || after.token === null) continue
        const { token } = after
        const decided = attempt(after, { type: 'finish', token, ending: brought }, now)
        // A slice that was saved before, and a plan that was made, may be told once more: they are known.
        const isSaved = brought.kind === 'sliced' && brought.seq === after.slices?.seq
        const isPlanned = brought.kind === 'planned' && brought.shards === after.shards
        if ((isSaved || isPlanned) && typeof decided !== 'string') expectSame(decided.events, [])
        else expectSame(decided, 'stale_token')
        expectCode('stale_token', () => decide(after, { type: 'giveBack', token }, now))
      }
    })
    fc.assert(law, { numRuns })
  })
})

describe('the end of an attempt', () => {
  /** The reasons that a command can give to the run that it ends, when the job is not to be cancelled. */
  function reasonsOf({ command }: Deed): readonly FailureReason[] {
    if (command.type === 'lose') return ['lease_lost']
    if (command.type === 'elapse') return ['timeout']
    if (command.type === 'giveBack') return ['released']
    if (command.type === 'finish' && command.ending.kind === 'snoozed') return ['snoozed', 'failed']
    return command.type === 'cancel' ? [] : ['failed']
  }

  it('says why: the reason fits the command, or is cancelled when that was asked', () => {
    holds((life) => {
      for (const { before, event, after, deed } of transitionsOf(life)) {
        if (event.type !== 'job.run.failed') continue
        const isCancelled = before?.cancelRequestedAt != null || deed.command.type === 'cancel'
        expectOneOf(event.data.reason, isCancelled ? ['cancelled'] : reasonsOf(deed))
        expectSame([after.suspect, after.error], [suspectAfter(before, event.data.reason), event.data.error])
      }
    })
  })

  function suspectAfter(before: Job | null, reason: FailureReason): boolean {
    return reason === 'lease_lost' || (reason === 'released' && before?.suspect === true)
  }

  it('a charged failure waits for its backoff, which grows with what was charged', () => {
    holds((life) => {
      for (const { event, after, deed } of transitionsOf(life)) {
        if (event.type !== 'job.run.failed' || !event.data.charged || after.state !== 'error') continue
        const { baseMs, factor, capMs } = after.retry
        const longest = Math.min(capMs, baseMs * factor ** (after.charged - 1))
        expectSame(after.scheduledFor, deed.now + Math.floor(longest * randomOf(deed)))
      }
    })
  })

  function randomOf({ command }: Deed): number {
    if (command.type === 'lose' || command.type === 'elapse') return command.random
    const end = command.type === 'finish' ? command.ending : command.type === 'answer' ? command.answer : null
    // A handler that stopped without being asked to waits the longest.
    const isUnasked = end?.kind === 'cancelled' || end?.kind === 'suspended'
    return end !== null && 'random' in end ? end.random : isUnasked ? 1 : Number.NaN
  }

  function longestDelay({ retry, task }: Job): number {
    return Math.max(retry.capMs, task?.slice.capMs ?? 0)
  }

  it('a job fails for good only when it may not, cannot or need not try again', () => {
    holds((life) => {
      for (const { before, event, after, deed } of transitionsOf(life)) {
        if (event.type !== 'job.run.failed' || before === null) continue
        const { command, now } = deed
        const end = command.type === 'finish' ? command.ending : command.type === 'answer' ? command.answer : null
        const isTask = before.task !== null
        // Trying a slice again may be of no use, and trying its task again may not be.
        const isTerminal = end?.kind === 'failed' && (isTask ? end.failsJob === true : end.terminal || end.failsJob)
        const isUsedUp = event.data.charged && after.charged === after.retry.maxAttempts
        const isLate = before.deadlineAt !== null && before.deadlineAt <= now + longestDelay(after)
        const isByEvent = command.type === 'ingest' || (end?.kind === 'suspended' && !isTask)
        const isByOthers = command.type === 'gather' || command.type === 'receive' || end?.kind === 'sliced'
        if (after.state === 'final') expectSame(isTerminal || isUsedUp || isLate || isByEvent || isByOthers, true)
        else expectSame(event.data.reason !== 'cancelled' && (isTerminal || isUsedUp || isByEvent || isByOthers), false)
        if (after.state === 'error' && event.data.charged && after.deadlineAt !== null) {
          expect(after.scheduledFor).toBeLessThan(after.deadlineAt)
        }
      }
    })
  })
})

describe('time', () => {
  const isLate = (at: number | null, now: number): boolean => at !== null && at <= now

  it('once it was looked at, no job is beyond its deadline, its attempt’s or its expiry, to the millisecond', () => {
    const law = fc.property(plan, fc.nat(200_000), (given, later) => {
      const { job, now: then } = live(given)
      if (job === null) return
      const limits = [job.deadlineAt, job.attemptDeadlineAt, job.expiresAt].flatMap((at) => (at === null ? [] : [at]))
      for (const now of [then + later, ...limits, ...limits.map((at) => at - 1)]) if (now >= then) checkAt(job, now)
    })
    fc.assert(law, { numRuns })
  })

  function checkAt(job: Job, now: number): void {
    const { job: after, events } = step(job, { type: 'elapse', random: 0 }, now)
    expectSame(isOverdue(after, now), false)
    expectSame(events.length > 0, isOverdue(job, now))
  }

  function isOverdue(job: Job, now: number): boolean {
    if (job.state === 'final') return false
    if (isLate(job.deadlineAt, now)) return true
    return isLate(job.state === 'running' ? job.attemptDeadlineAt : job.state === 'initial' ? job.expiresAt : null, now)
  }

  it('no job that waits for its time is due at no time', () => {
    holds(({ deeds }) => {
      for (const { after } of deeds) if (after !== null) expectSame(Number.isFinite(after.scheduledFor), true)
    })
  })
})

describe('cancel', () => {
  it('ends every job: at once, or when its attempt ends in any way', () => {
    const law = fc.property(plan, ending, fc.nat(100_000), (given, brought, later) => {
      const { job, now: then } = live(given)
      if (job === null) return
      const now = then + later
      const asked = step(job, { type: 'cancel', reason: 'asked' }, now).job
      expectSame(asked.state, job.phase === 'running' ? 'running' : 'final')
      if (job.state === 'final') return
      if (asked.state === 'final' || asked.token === null) {
        expectSame(asked.cancelled, true)
        return
      }
      const { token } = asked
      const finished = step(asked, { type: 'finish', token, ending: brought }, now).job
      const others = [
        step(asked, { type: 'finish', token, ending: { kind: 'cancelled' } }, now).job,
        step(asked, { type: 'giveBack', token }, now).job,
        step(asked, { type: 'lose', token, random: 0.5, alone: true }, now).job,
      ]
      expectSame(finished.state, 'final')
      expectSame(finished.cancelled, brought.kind !== 'completed')
      expectSame(
        others.map(({ state, cancelled }) => [state, cancelled]),
        others.map(() => ['final', true]),
      )
    })
    fc.assert(law, { numRuns })
  })

  it('no job that is to be cancelled starts again', () => {
    holds(({ deeds }) => {
      for (const { after } of deeds) {
        if (after !== null && after.cancelRequestedAt !== null) expectOneOf(after.state, ['running', 'final'])
        if (after?.phase === 'awaiting') expectSame(after.cancelRequestedAt, null)
      }
    })
  })
})
