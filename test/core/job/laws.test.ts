import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../../src/core/job/commands.ts'
import { decide } from '../../../src/core/job/decide.ts'
import { catalogue, eventIdOf, type JobEvent } from '../../../src/core/job/events.ts'
import { evolve, replay } from '../../../src/core/job/evolve.ts'
import { elapsesAt, type Job } from '../../../src/core/job/job.ts'
import { context, type Plan, plan } from './arbitrary.ts'
import { attempt, deepFreeze, expectCode, expectSame, holds, live, numRuns, transitionsOf } from './life.ts'

describe('arbitrary plans', () => {
  it('reach every corner of the rules', () => {
    const lives = fc.sample(plan, { numRuns: 1_500, seed: 1 }).map(live)
    const deeds = lives.flatMap((life) => life.deeds)
    const events = deeds.flatMap((deed) => deed.events)
    const different = (things: readonly (string | null)[]) => [...new Set(things)].sort()

    expect(different(events.map(({ type }) => type))).toEqual(different(Object.keys(catalogue)))
    const reasons = ['cancelled', 'failed', 'lease_lost', 'released', 'snoozed', 'timeout']
    expect(different(events.map((event) => (event.type === 'job.run.failed' ? event.data.reason : 'failed')))).toEqual(
      different(reasons),
    )
    const codes = [
      'already_dispatched',
      'id_taken',
      'illegal_transition',
      'not_found',
      'not_started',
      'stale_slice',
      'stale_token',
    ]
    expect(different(deeds.map(({ refusal }) => refusal))).toEqual(different([...codes, null]))
    const phases = ['pending', 'queued', 'running', 'awaiting', 'final']
    expect(different(lives.map(({ job }) => job?.phase ?? null))).toEqual(different(phases))
    expect(lives.filter(({ job }) => (job?.attempt ?? 0) >= 4).length).toBeGreaterThan(10)
  })
})

describe('the state follows from the events alone', () => {
  it('replay of all events gives the state that the commands built', () => {
    holds(({ own, outside, job }) => expectSame(replay(own, outside), job))
  })

  it('replay of the first events gives every earlier state', () => {
    holds(({ deeds, own, outside }) => {
      let delivered = 0
      for (const { command, before, after } of deeds) {
        if (command.type === 'ingest' && before !== null) delivered += command.events.length
        if (after === null) continue
        expectSame(replay(own.slice(0, after.version), outside.slice(0, delivered)), after)
      }
    })
  })

  it('own events have versions without gaps, ids of their own, and the time of their command', () => {
    holds(({ deeds, own, job }) => {
      expectSame(
        own.map(({ version }) => version),
        own.map((_, i) => i + 1),
      )
      expectSame(new Set(own.map(eventIdOf)).size, own.length)
      for (const { events, now } of deeds) for (const { at } of events) expectSame(at, now)
      expectSame(job?.version, own.at(-1)?.version)
      expectSame(job?.updatedAt, own.at(-1)?.at)
    })
  })

  it('an own event that is delivered again, at any later point, changes nothing', () => {
    holds(({ deeds, own }) => {
      for (const { after } of deeds) {
        if (after === null) continue
        for (const event of own.slice(0, after.version)) expectSame(evolve(after, event) === after, true)
      }
    })
  })

  it('an own event that leaves a gap is refused', () => {
    holds((life) => {
      const states: (Job | null)[] = [null, ...transitionsOf(life).map(({ after }) => after)]
      states.forEach((state, version) => {
        const [next, last] = [life.own[version + 1], life.own.slice(version + 2).at(-1)]
        if (next) expectCode('version_gap', () => evolve(state, next))
        if (last) expectCode('version_gap', () => evolve(state, last))
      })
    })
  })
})

describe('who asked and how it was observed', () => {
  /** The plan with other contexts, and with outside events that were observed otherwise. */
  function observedOtherwise(given: Plan, contexts: readonly Context[]): Plan {
    return given.map(({ wait, command }, i) => {
      const other = contexts[i % contexts.length] ?? {}
      const { executionId = null, traceId = null, spanId = null } = other
      if (command.type !== 'ingest') return { wait, command, context: other }
      const events = command.events.map((event) => ({ ...event, executionId, traceId, spanId, at: i }))
      return { wait, command: { ...command, events }, context: other }
    })
  }

  const unobserved = (event: JobEvent): unknown => {
    const { actor: _1, cause: _2, executionId: _3, traceId: _4, spanId: _5, ...rest } = event
    return rest
  }

  it('has no influence on any state, decision or refusal', () => {
    const law = fc.property(plan, fc.array(context, { minLength: 1, maxLength: 4 }), (given, contexts) => {
      const one = live(given)
      const other = live(observedOtherwise(given, contexts))
      expectSame(other.job, one.job)
      expectSame(other.own.map(unobserved), one.own.map(unobserved))
      expectSame(
        other.deeds.map(({ after, refusal }) => ({ after, refusal })),
        one.deeds.map(({ after, refusal }) => ({ after, refusal })),
      )
    })
    fc.assert(law, { numRuns })
  })

  it('is written to every event', () => {
    holds(({ deeds }) => {
      for (const { events, context: given } of deeds) {
        for (const { actor, cause, executionId, traceId, spanId } of events) {
          const none = { actor: null, cause: null, executionId: null, traceId: null, spanId: null }
          expectSame({ actor, cause, executionId, traceId, spanId }, { ...none, ...given })
        }
      }
    })
  })
})

describe('decide', () => {
  it('is pure: frozen inputs, and the same inputs give the same decision or the same refusal', () => {
    holds(({ deeds }) => {
      for (const { before, command, now, context: given, refusal, events, effects } of deeds) {
        expectSame(attempt(before, command, now, given), refusal ?? { events, effects })
      }
    })
  })

  it('asks to wake those who wait when the job ends, and never else', () => {
    holds(({ deeds }) => {
      for (const { before, after, effects } of deeds) {
        const ended = before?.state !== 'final' && after?.state === 'final'
        const wakes = effects.filter(({ type }) => type === 'wakeWaiters')
        expectSame(wakes, ended ? [{ type: 'wakeWaiters' }] : [])
      }
    })
  })

  it('asks to cancel the jobs of a failed attempt or of a job that is over, if there are any, and lets the next attempt wait for their ends', () => {
    holds(({ deeds }) => {
      for (const { before, after, command, events, effects } of deeds) {
        const failed = events.some(({ type, data }) => {
          return type === 'job.run.failed' && 'reason' in data && data.reason !== 'snoozed'
        })
        const gone = failed || events.some(({ type }) => type === 'job.cancelled' || type === 'job.expired')
        const children = 'children' in command && command.children === true
        const cancels = effects.filter(({ type }) => type === 'cancelChildren')
        expectSame(cancels, gone && children ? [{ type: 'cancelChildren', attempt: before?.attempt }] : [])
        if (failed && after?.state === 'error') expect(after.phase).toBe(children ? 'pending' : 'queued')
      }
    })
  })

  it('asks for the job of `onFailure` when the job has failed for good, and never else', () => {
    holds(({ deeds }) => {
      for (const { before, after, effects } of deeds) {
        const ended = before?.state !== 'final' && after?.state === 'final'
        const inVain = ended && after.outcome === 'FAILED' && !after.cancelled && after.onFailure !== null
        const asked = effects.filter(({ type }) => type === 'submitOnFailure')
        expectSame(asked, inVain ? [{ type: 'submitOnFailure' }] : [])
      }
    })
  })

  it('changes a job by time alone from the instant that `elapsesAt` names, and not before', () => {
    holds(({ deeds }) => {
      for (const { after: job } of deeds) {
        if (job === null) continue
        const at = elapsesAt(job)
        const eventsAt = (now: number) => decide(job, { type: 'elapse', random: 0 }, now).events
        if (at === null) expect(eventsAt(Number.MAX_SAFE_INTEGER)).toEqual([])
        else expect([eventsAt(at - 1).length, eventsAt(at).length > 0]).toEqual([0, true])
      }
    })
  })

  it('gives events that evolve takes: a refusal comes before anything was decided', () => {
    holds((life) => {
      for (const { event, before } of transitionsOf(life)) {
        expectCode(null, () => evolve(deepFreeze(before), deepFreeze(event)))
      }
    })
  })

  it('gives no events for a job that does not exist, but for a submit', () => {
    holds(({ deeds }) => {
      for (const { command, now } of deeds) {
        expectCode(command.type === 'submit' ? null : 'not_found', () => decide(null, command, now))
      }
    })
  })
})
