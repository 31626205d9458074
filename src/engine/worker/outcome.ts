import { StintError } from '../../core/errors.ts'
import type { Ending } from '../../core/job/commands.ts'
import type { RunFacts } from '../../core/job/events.ts'
import { toJsonText } from '../../core/json.ts'
import { FailJobError, Later, Snooze, TerminalError } from '../later.ts'
import { Planned, Sliced } from '../shards/ends.ts'
import { Slot } from '../slots/slot.ts'

/** How a handler ended, in the words of the rule book, and the result it gave. */
export interface Outcome {
  readonly ending: Ending
  readonly result: string | null
}

/** What a handler of our own returns or throws to have facts written on the run. */
export class WithFacts {
  readonly value: unknown
  readonly facts: RunFacts
  constructor(value: unknown, facts: RunFacts) {
    this.value = value
    this.facts = facts
  }
}

/** What it takes to say when something is to happen, and by chance. */
export interface Moment {
  readonly random: number
  /** The database's time, as well as this process knows it. */
  readonly now: number
}

/** A result that cannot be kept fails the job for good: the work was done, and doing it again would not change that. */
export function outcomeOfReturn(value: unknown, moment: Moment, facts?: RunFacts): Outcome {
  if (value instanceof WithFacts) return outcomeOfReturn(value.value, moment, value.facts)
  if (value instanceof Snooze) return snoozed(value, moment)
  if (value instanceof Later) return suspended(value, moment)
  if (value instanceof Planned) return { ending: { kind: 'planned', shards: value.shards }, result: null }
  if (value instanceof Slot) return returning(value)
  if (value instanceof Sliced) return slicedOutcome(value, moment)
  try {
    const result = toJsonText(value, 'result')
    return { ending: { kind: 'completed', resultDigest: null, ...withFacts(facts) }, result }
  } catch (error) {
    return failed(error, true, moment, facts)
  }
}

export function outcomeOfThrow(thrown: unknown, moment: Moment, facts?: RunFacts): Outcome {
  if (isA(Snooze, thrown)) return snoozed(thrown, moment)
  if (isA(WithFacts, thrown)) return outcomeOfThrow(thrown.value, moment, thrown.facts)
  if (isA(FailJobError, thrown)) return failingJob(failed(thrown, true, moment, facts))
  return failed(thrown, isA(TerminalError, thrown), moment, facts)
}

/** The last slice completes its task: the state that it gave back is the result. */
function slicedOutcome({ seq, state, done, progress, facts }: Sliced, { random }: Moment): Outcome {
  if (done) return { ending: { kind: 'completed', resultDigest: null, facts }, result: state }
  return { ending: { kind: 'sliced', seq, stateDigest: null, progress, position: 0, random }, result: state }
}

function failingJob({ ending, result }: Outcome): Outcome {
  return ending.kind === 'failed' ? { ending: { ...ending, failsJob: true }, result } : { ending, result }
}

/** A proxy may refuse even to say what it is. */
function isA<T>(Kind: new (...args: never[]) => T, thrown: unknown): thrown is T {
  try {
    return thrown instanceof Kind
  } catch {
    return false
  }
}

function failed(thrown: unknown, terminal: boolean, { random }: Moment, facts?: RunFacts): Outcome {
  const error = messageOf(thrown)
  return { ending: { kind: 'failed', error, terminal, random, ...withFacts(facts) }, result: null }
}

/** A delay that no timer can have is the handler's mistake, and said so as its failure. */
function snoozed({ delayMs }: Snooze, moment: Moment): Outcome {
  if (Number.isFinite(delayMs) && delayMs >= 0) {
    return { ending: { kind: 'snoozed', delayMs: Math.round(delayMs), random: moment.random }, result: null }
  }
  const rule = 'must be a number of milliseconds from 0 on'
  const message = `retryIn ${rule}; got ${delayMs}.`
  return failed(new StintError('invalid_argument', message, { field: 'retryIn', rule }), true, moment)
}

function suspended({ options: { events, failOn = [], timeoutMs } }: Later, { now }: Moment): Outcome {
  const awaits = events === undefined && failOn.length === 0 ? null : { events: events ?? [], failOn }
  const until = timeoutMs === undefined ? null : Math.round(now + timeoutMs)
  // The store checks what is awaited, like everything that comes from outside.
  return { ending: { kind: 'suspended', awaits: awaits as never, until }, result: null }
}

/** The value of a slot is the result, when it is there. */
function returning({ uuid }: Slot<unknown>): Outcome {
  return { ending: { kind: 'suspended', awaits: null, until: null, output: uuid }, result: null }
}

function withFacts(facts: RunFacts | undefined): { readonly facts?: RunFacts } {
  return facts === undefined ? {} : { facts }
}

/** Handlers throw anything, also what cannot be turned into text. */
export function messageOf(thrown: unknown): string {
  try {
    const said: unknown = thrown instanceof Error ? thrown.message || thrown.name : thrown
    return typeof said === 'string' ? said : `Thrown: ${describe(said)}`
  } catch {
    return 'The handler threw what cannot be shown.'
  }
}

function describe(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null ? (JSON.stringify(thrown) ?? 'an object') : String(thrown)
}
