/** Lives a plan: gives its commands to the core one after the other and keeps everything that came of it. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type ErrorCode, StintError } from '../../../src/core/errors.ts'
import { countEvent } from '../../../src/core/job/awaits.ts'
import type { Command, Context } from '../../../src/core/job/commands.ts'
import { type Decision, decide, step } from '../../../src/core/job/decide.ts'
import type { JobEvent, JobEventOf } from '../../../src/core/job/events.ts'
import { evolve } from '../../../src/core/job/evolve.ts'
import type { Job } from '../../../src/core/job/job.ts'
import type { OutsideEvent } from '../../../src/core/job/outside-event.ts'
import { type Act, type Plan, plan, startOfTime, type Wait } from './arbitrary.ts'

/** One command and what came of it. A refused one has a `refusal` and changes nothing. */
export interface Deed extends Decision {
  readonly before: Job | null
  readonly command: Command
  readonly now: number
  readonly context: Context
  readonly refusal: ErrorCode | null
  readonly after: Job | null
}

export interface Life {
  readonly deeds: readonly Deed[]
  readonly job: Job | null
  readonly now: number
  /** The job's own events, in order, and those from outside as they were delivered. */
  readonly own: readonly JobEvent[]
  readonly outside: readonly OutsideEvent[]
  /** All tokens that were given out, the current one last. */
  readonly tokens: readonly string[]
}

const unborn: Life = { deeds: [], job: null, now: startOfTime, own: [], outside: [], tokens: [] }

export function live(plan: Plan): Life {
  return plan.reduce(act, unborn)
}

/** Inputs are frozen to the ground: a rule that writes to them throws. */
function act(life: Life, { wait, command: planned, context }: Act): Life {
  const now = Math.max(life.now, instantOf(life, wait))
  const command = deepFreeze(actual(life, planned))
  const before = deepFreeze(life.job)
  const decided = attempt(before, command, now, deepFreeze(context))
  if (typeof decided === 'string') {
    const deed = { before, command, now, context, refusal: decided, events: [], effects: [], after: before }
    return { ...life, now, deeds: [...life.deeds, deed] }
  }
  const { job: after, ...decision } = step(before, command, now, context)
  const started = decision.events.flatMap((event) => (isStart(event) ? [event.data.token] : []))
  return {
    deeds: [...life.deeds, { before, command, now, context, refusal: null, ...decision, after }],
    job: after,
    now,
    own: [...life.own, ...decision.events],
    outside: before !== null && command.type === 'ingest' ? [...life.outside, ...command.events] : life.outside,
    tokens: [...life.tokens, ...started],
  }
}

function isStart(event: JobEvent): event is JobEventOf<'job.run.started' | 'job.run.resumed'> {
  return event.type === 'job.run.started' || event.type === 'job.run.resumed'
}

function instantOf({ now, job }: Life, wait: Wait): number {
  switch (wait) {
    case 'due':
      return job?.scheduledFor ?? now
    case 'attempt deadline':
      return job?.attemptDeadlineAt ?? now
    case 'deadline':
      return job?.deadlineAt ?? now
    case 'expiry':
      return job?.expiresAt ?? now
    default:
      return now + wait
  }
}

/** The planned command with real tokens, and with awaits that have counted what came before, as the store gives them. */
function actual(life: Life, command: Command): Command {
  if (command.type === 'claim') return { ...command, token: `token-${life.tokens.length + 1}` }
  if (!('token' in command)) return command
  const token = tokenOf(life, command.token)
  if (command.type !== 'finish') return { ...command, token }
  const { ending } = command
  if (ending.kind === 'sliced') return { ...command, token, ending: { ...ending, seq: seqOf(life, ending.seq) } }
  if (ending.kind !== 'suspended') return { ...command, token, ending }
  const awaits = ending.awaits === null ? null : life.outside.reduce(countEvent, ending.awaits)
  return { ...command, token, ending: { ...ending, awaits } }
}

/** Of the numbers that a plan has, all but one stand for the next slice, or the one before if that is what was done. */
function seqOf({ job }: Life, planned: number): number {
  return (job?.slices?.seq ?? 0) + (planned < 4 ? 1 : 0)
}

function tokenOf({ tokens }: Life, role: string): string {
  const token = role === 'current' ? tokens.at(-1) : role === 'older' ? tokens.at(-2) : undefined
  return token ?? 'unknown'
}

// ---- refusals

/** With what each command may be refused, once there is a job. What is not listed may not happen. */
const refusals: Readonly<Record<Command['type'], readonly ErrorCode[]>> = {
  submit: ['id_taken'],
  release: [],
  hold: ['already_dispatched', 'illegal_transition'],
  edit: ['already_dispatched', 'illegal_transition'],
  claim: ['illegal_transition'],
  finish: ['stale_token', 'stale_slice', 'illegal_transition'],
  giveBack: ['stale_token'],
  lose: ['stale_token'],
  elapse: [],
  cancel: [],
  skip: ['illegal_transition'],
  answer: ['not_started', 'not_found', 'illegal_transition'],
  ingest: [],
  gather: [],
  receive: [],
}

/** The decision, or the code with which the command was refused. An error that is no refusal goes through. */
export function attempt(job: Job | null, command: Command, now: number, context: Context = {}): Decision | ErrorCode {
  try {
    return decide(job, command, now, context)
  } catch (error) {
    const allowed = job === null ? ['not_found'] : refusals[command.type]
    if (error instanceof StintError && allowed.includes(error.code)) return error.code
    throw error
  }
}

/** The code of the StintError that a function throws; null when it returns. Anything else thrown goes through. */
export function codeOf(run: () => unknown): ErrorCode | null {
  try {
    run()
  } catch (error) {
    if (error instanceof StintError) return error.code
    throw error
  }
  return null
}

// ---- views of a life

export interface Transition {
  readonly before: Job | null
  readonly event: JobEvent
  readonly after: Job
  /** The deed that the event is part of. */
  readonly deed: Deed
}

/** Every own event with the states around it, also between two events of one decision. */
export function transitionsOf(life: Life): readonly Transition[] {
  return life.deeds.flatMap((deed) => {
    let before = deed.before
    return deed.events.map((event) => {
      const transition = { before, event, after: evolve(before, event), deed }
      before = transition.after
      return transition
    })
  })
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}

// ---- laws

/** Checks a law on the lives of arbitrary plans. */
export function holds(law: (life: Life) => void): void {
  fc.assert(
    fc.property(plan, (given) => law(live(given))),
    { numRuns },
  )
}

/** The long suite asks for more. */
export const numRuns = Number(process.env['STINT_LAW_RUNS'] ?? 400)

/** Deep equality for the loops of laws: only a difference is worth the work of showing it. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected)
}

export function expectCode(code: ErrorCode | null, act: () => unknown): void {
  expectSame(codeOf(act), code)
}

export function expectOneOf<T>(actual: T, allowed: readonly T[]): void {
  if (!allowed.includes(actual)) expect(allowed).toContain(actual)
}
