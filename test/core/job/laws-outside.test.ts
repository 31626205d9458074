import fc from 'fast-check'
import { describe, it } from 'vitest'
import { type AwaitedEvent, type Awaits, countEvent } from '../../../src/core/job/awaits.ts'
import { step } from '../../../src/core/job/decide.ts'
import { evolveOutside, replay } from '../../../src/core/job/evolve.ts'
import type { Job } from '../../../src/core/job/job.ts'
import type { OutsideEvent } from '../../../src/core/job/outside-event.ts'
import { awaits, outsideEvent, outsideEvents, plan, startOfTime } from './arbitrary.ts'
import { awaiting, running } from './jobs.ts'
import { expectSame, live, numRuns } from './life.ts'

const events = fc.array(outsideEvent, { maxLength: 15 })
const order = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 20 })
const now = startOfTime + 1_000_000

/** The same events in another order, some of them twice. */
function rearranged(given: readonly OutsideEvent[], numbers: readonly number[]): readonly OutsideEvent[] {
  const number = (i: number) => numbers[i % numbers.length] ?? 0
  const all = [...given, ...given.filter((_, i) => number(i) % 2 === 0)]
  return all.reduce<OutsideEvent[]>(
    (placed, event, i) => placed.toSpliced(number(i) % (placed.length + 1), 0, event),
    [],
  )
}

function ingest(job: Job, delivered: readonly OutsideEvent[]): Job {
  return step(job, { type: 'ingest', events: delivered }, now).job
}

/** Delivers one by one; gives the states, the first being that before. */
function deliver(job: Job, delivered: readonly OutsideEvent[]): readonly Job[] {
  const states = [job]
  for (const event of delivered) states.push(ingest(states.at(-1) ?? job, [event]))
  return states
}

const isDecided = (job: Job): boolean => job.state === 'final' || (job.awaits?.decided ?? null) !== null

/** Jobs as plans leave them, and jobs that have something to wait for, with and without a worker. */
const arrived: fc.Arbitrary<Job> = fc.oneof(
  plan.map((given) => live(given).job).filter((job) => job !== null),
  awaits.map((given) => awaiting(given)),
  awaits.map((given) => running({ awaits: given })),
)

describe('the outside events of a job form a set', () => {
  it('any order and repetition up to the first terminal one gives the same state', () => {
    const law = fc.property(arrived, events, order, events, (job, delivered, numbers, late) => {
      const states = deliver(job, delivered)
      const end = states.findIndex(isDecided)
      const prefix = end === -1 ? delivered : delivered.slice(0, Math.max(0, end - 1))
      const terminal = end === -1 ? [] : [...delivered.slice(Math.max(0, end - 1), end), ...late]
      const otherwise = [...rearranged(prefix, numbers), ...terminal]
      expectSame(ingest(job, otherwise), states.at(end))
      expectSame(deliver(job, otherwise).at(-1), states.at(end))
    })
    fc.assert(law, { numRuns })
  })

  it('after the first terminal one, and after the end of the job, nothing changes any more', () => {
    const law = fc.property(arrived, events, (job, delivered) => {
      const after = ingest(job, delivered)
      if (!isDecided(after)) return
      for (const event of outsideEvents) expectSame(evolveOutside(after, event) === after, true)
      const { job: same, events: own, effects } = step(after, { type: 'ingest', events: outsideEvents }, now)
      expectSame([same === after, own, effects], [true, [], []])
    })
    fc.assert(law, { numRuns })
  })

  it('replay takes them in any order, unless a decision of theirs still stands open', () => {
    const law = fc.property(plan, order, (given, numbers) => {
      const { own, outside, job } = live(given)
      if (job === null || (job.state !== 'final' && isDecided(job))) return
      expectSame(replay(own, rearranged(outside, numbers)), job)
    })
    fc.assert(law, { numRuns })
  })
})

describe('what the outside events of a job decide', () => {
  const matches = ({ eventType, match, taskId }: AwaitedEvent, event: OutsideEvent): boolean =>
    event.type === eventType &&
    (taskId === null || event.taskId === taskId) &&
    Object.entries(match).every(([name, value]) => event.attributes[name] === value)

  /** A second opinion, by looking at all deliveries as a whole. Null: undecided. */
  function judged({ events: kinds, failOn }: Awaits, delivered: readonly OutsideEvent[]): Awaits['decided'] {
    for (const [i, event] of delivered.entries()) {
      if (failOn.includes(event.type)) return { failedBy: event.key }
      const sofar = [...new Set(delivered.slice(0, i + 1))]
      const isMet = (kind: AwaitedEvent) => sofar.filter((each) => matches(kind, each)).length >= kind.times
      if (kinds.length > 0 && kinds.every(isMet)) return 'complete'
    }
    return null
  }

  it('is complete with enough different events of each kind, and failed with one that fails it before', () => {
    const law = fc.property(awaits, events, (given, delivered) => {
      expectSame(delivered.reduce(countEvent, given).decided, judged(given, delivered))
    })
    fc.assert(law, { numRuns })
  })

  it('ends a job that waits at once, and one that works when it begins to wait', () => {
    const law = fc.property(awaits, events, (given, delivered) => {
      const decided = judged(given, delivered)
      const waited = ingest(awaiting(given), delivered)
      const suspended = { kind: 'suspended', awaits: null, until: null } as const
      const worked = ingest(running({ awaits: given }), delivered)
      expectSame([worked.phase, worked.version], ['running', 2])
      const late = step(worked, { type: 'finish', token: worked.token ?? '', ending: suspended }, now).job
      for (const job of [waited, late]) {
        expectSame(job.phase, decided === null ? 'awaiting' : 'final')
        expectSame(job.outcome, decided === null ? null : decided === 'complete' ? 'COMPLETED' : 'FAILED')
        if (decided !== null && decided !== 'complete')
          expectSame(job.error, `Failed by the event ${decided.failedBy}.`)
      }
    })
    fc.assert(law, { numRuns })
  })
})
