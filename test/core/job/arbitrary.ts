/** Plans: arbitrary lives of a job as data, so that a failing one shrinks and can be read. `life.ts` lives them. */
import fc from 'fast-check'
import { type AwaitedEvent, type Awaits, newAwaits } from '../../../src/core/job/awaits.ts'
import type { Answer, Command, Context, Edit, Ending } from '../../../src/core/job/commands.ts'
import type { RunFacts } from '../../../src/core/job/events.ts'
import type { JobSpec, RetryPolicy, TaskSpec } from '../../../src/core/job/job.ts'
import type { OutsideEvent } from '../../../src/core/job/outside-event.ts'

/** How the clock moves before a command: on by milliseconds, or to an instant that matters to the job by then. */
export type Wait = number | 'due' | 'attempt deadline' | 'deadline' | 'expiry'

/** The tokens of a planned command say whose they are; the text follows once the job has lived so far. */
export type TokenRole = 'current' | 'older' | 'unknown'

export interface Act {
  readonly wait: Wait
  readonly command: Command
  readonly context: Context
}

export type Plan = readonly Act[]

export const jobId = 'p:d:n:job'
export const startOfTime = 1_000_000

const random = fc.double({ min: 0, max: 0.999_999, noNaN: true })
const errorText = fc.constantFrom('', 'boom', 'no such table', 'nul \0 inside', 'lone \ud800', 'x'.repeat(70_000))
const digest = fc.constantFrom(null, 'sha-1', 'sha-2')
const reason = fc.constantFrom('asked to', 'duplicate', '')
const late = fc.integer({ min: startOfTime, max: startOfTime + 100_000 })
const instant = fc.integer({ min: startOfTime - 1_000, max: startOfTime + 3_000 })

// ---- events from outside

const outsideTypes = ['paid', 'shipped', 'refused', 'noise']

/** The first delivery of a key is the one that stays, so a key stands for its content: one fixed pool. */
export const outsideEvents: readonly OutsideEvent[] = outsideTypes.flatMap((type) =>
  Array.from({ length: 12 }, (_, i) => ({
    key: `${type}-${i}`,
    type,
    taskId: i % 3 === 0 ? null : `task-${i % 3}`,
    at: startOfTime - 500 + i,
    attributes: { region: i % 2 === 0 ? 'eu' : 'us', ...(i % 4 === 0 ? { n: 1 } : {}) },
    executionId: null,
    traceId: `trace-${i}`,
    spanId: null,
  })),
)

const calm = outsideEvents.filter(({ type }) => type !== 'refused')

/** Mostly events that do not fail a job, or few jobs would get all that they wait for. */
export const outsideEvent: fc.Arbitrary<OutsideEvent> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...calm) },
  { weight: 1, arbitrary: fc.constantFrom(...outsideEvents) },
)

const awaited: fc.Arbitrary<AwaitedEvent> = fc.record({
  eventType: fc.constantFrom('paid', 'shipped'),
  match: fc.constantFrom({}, {}, {}, { region: 'eu' }, { n: 1 }, { region: 'us', n: 1 }),
  times: fc.constantFrom(1, 1, 2, 3),
  taskId: fc.constantFrom(null, null, null, 'task-1'),
})

export const awaits: fc.Arbitrary<Awaits> = fc
  .tuple(fc.array(awaited, { maxLength: 2 }), fc.constantFrom([], ['refused'], ['refused', 'never']))
  .map(([events, failOn]) => newAwaits(events, failOn))

// ---- the job

const retry: fc.Arbitrary<RetryPolicy> = fc.record({
  maxAttempts: fc.integer({ min: 1, max: 6 }),
  baseMs: fc.constantFrom(0, 1, 100, 10_000),
  factor: fc.constantFrom(1, 2, 3.5),
  capMs: fc.constantFrom(0, 50, 1_000, 3_600_000),
  maxSnoozes: fc.integer({ min: 0, max: 2 }),
})

const task: fc.Arbitrary<TaskSpec> = fc.record({
  of: fc.constant('sharded'),
  index: fc.nat(2),
  total: fc.constant(3),
  slice: fc.record({
    maxFailures: fc.integer({ min: 1, max: 4 }),
    baseMs: fc.constantFrom(0, 100),
    factor: fc.constantFrom(1, 2),
    capMs: fc.constantFrom(0, 1_000),
    maxIdle: fc.integer({ min: 1, max: 3 }),
  }),
})

export const spec: fc.Arbitrary<JobSpec> = fc.record({
  id: fc.constant(jobId),
  name: fc.constant('/n/job'),
  type: fc.constant('mail'),
  key: fc.constantFrom(null, 'key'),
  labels: fc.constant({ team: 'blue' }),
  templateId: fc.constant(null),
  scheduleId: fc.constant(null),
  groupId: fc.constantFrom(null, 'group'),
  retryOf: fc.constant(null),
  submittedBy: fc.constantFrom(null, 'p:d:n:parent-run-1'),
  replaces: fc.constant(null),
  paramsDigest: digest,
  priority: fc.integer({ min: -2, max: 2 }),
  position: fc.nat(1_000),
  scheduledFor: instant,
  expiresAt: fc.option(late, { freq: 2 }),
  retry,
  timeoutMs: fc.option(fc.integer({ min: 1, max: 20_000 }), { freq: 2 }),
  deadlineAt: fc.option(late, { freq: 2 }),
  awaits: fc.option(awaits, { freq: 3 }),
  onFailure: fc.constantFrom(null, { id: 'p:d:n:after', name: '/n/after', type: 'alert', params: null }),
  limits: fc.constantFrom([], ['gpu']),
  task: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: task }),
  needs: fc.constantFrom(null, { list: [{ of: 'other', at: '/a' }], onFailure: 'skip' as const }),
  rerun: fc.constantFrom(null, [0, 2]),
})

// ---- commands

const facts: fc.Arbitrary<RunFacts> = fc.constantFrom(
  {},
  { exitCode: 0 },
  { exitCode: 3, artifacts: ['a'], logPath: 'f' },
)

const completed = fc.record({ kind: fc.constant('completed' as const), resultDigest: digest, facts })
const failed = fc.record({
  kind: fc.constant('failed' as const),
  error: errorText,
  terminal: fc.nat(9).map((n) => n === 9),
  random,
  facts,
})
const failedJob = failed.map((ending) => ({ ...ending, failsJob: true as const }))
const snoozed = fc.record({ kind: fc.constant('snoozed' as const), delayMs: fc.nat(5_000), random })
const suspended = fc.record({
  kind: fc.constant('suspended' as const),
  awaits: fc.option(awaits),
  until: fc.option(late, { freq: 3 }),
})
const returning = suspended.map((ending) => ({ ...ending, output: 'other' }))
const cancelled = fc.record({ kind: fc.constant('cancelled' as const), facts })

const planned = fc.record({ kind: fc.constant('planned' as const), shards: fc.integer({ min: 1, max: 3 }) })
const sliced = fc.record({
  kind: fc.constant('sliced' as const),
  seq: fc.integer({ min: 1, max: 4 }),
  stateDigest: fc.constantFrom('sha-1', 'sha-2', 'sha-3'),
  progress: fc.constantFrom(null, [1, 2] as const),
  position: fc.nat(1_000),
  random,
})

export const ending: fc.Arbitrary<Ending> = fc.oneof(
  { weight: 1, arbitrary: failedJob },
  { weight: 2, arbitrary: planned },
  { weight: 5, arbitrary: sliced },
  { weight: 1, arbitrary: completed },
  { weight: 5, arbitrary: failed },
  { weight: 3, arbitrary: snoozed },
  { weight: 5, arbitrary: suspended },
  { weight: 2, arbitrary: returning },
  { weight: 2, arbitrary: cancelled },
)

const answer: fc.Arbitrary<Answer> = fc.oneof({ weight: 1, arbitrary: completed }, { weight: 2, arbitrary: failed })

const edit: fc.Arbitrary<Edit> = fc.record(
  {
    priority: fc.integer({ min: -9, max: 9 }),
    position: fc.nat(99),
    scheduledFor: instant,
    params: fc.record({ digest, replaced: digest }),
  },
  { requiredKeys: [] },
)

const role: fc.Arbitrary<TokenRole> = fc.constantFrom('current', 'current', 'current', 'current', 'older', 'unknown')

const of = <T extends Command['type']>(type: T) => fc.constant(type)

const submit = fc.record({
  type: of('submit'),
  spec,
  pending: fc.constantFrom(false, false, true),
  skip: fc.oneof({ weight: 30, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: reason }),
})

const resolved = fc.record({
  params: fc.option(fc.record({ digest, replaced: digest })),
  upstream: fc.constantFrom([], [{ of: 'other', name: '/n/other', at: '/a', error: 'it failed' }]),
})
const release: fc.Arbitrary<Command> = fc.record({ type: of('release'), resolved }, { requiredKeys: ['type'] })
const receive = fc.record({
  type: of('receive'),
  resultDigest: digest,
  error: fc.constantFrom(null, null, 'it failed'),
  children: fc.boolean(),
})
const hold: fc.Arbitrary<Command> = fc.record({ type: of('hold') })
const claim: fc.Arbitrary<Command> = fc.record({
  type: of('claim'),
  workerId: fc.constantFrom('worker-1', 'worker-2'),
  token: fc.constant('new'),
})
const children = fc.boolean()
const finish = fc.record({ type: of('finish'), token: role, ending, children })
const giveBack = fc.record({ type: of('giveBack'), token: role, children })
const lose = fc.record({ type: of('lose'), token: role, random, alone: fc.boolean(), children })
const elapse = fc.record({ type: of('elapse'), random, children })
const cancel = fc.record({ type: of('cancel'), reason, children })
const gather = fc.record({ type: of('gather'), error: fc.constantFrom(null, 'a task failed'), children })
const answered = fc.record({ type: of('answer'), answer, children })
const ingest = fc.record({ type: of('ingest'), events: fc.array(outsideEvent, { maxLength: 6 }), children })

export const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 1, arbitrary: submit },
  { weight: 4, arbitrary: release },
  { weight: 1, arbitrary: hold },
  { weight: 2, arbitrary: fc.record({ type: of('edit'), changes: edit }) },
  { weight: 4, arbitrary: claim },
  { weight: 4, arbitrary: finish },
  { weight: 2, arbitrary: giveBack },
  { weight: 2, arbitrary: lose },
  { weight: 4, arbitrary: elapse },
  { weight: 1, arbitrary: cancel },
  { weight: 1, arbitrary: fc.record({ type: of('skip'), reason, cancelled: fc.boolean() }) },
  { weight: 2, arbitrary: answered },
  { weight: 3, arbitrary: gather },
  { weight: 3, arbitrary: receive },
  { weight: 4, arbitrary: ingest },
)

const id = fc.constantFrom(null, 'a', 'b')
export const context: fc.Arbitrary<Context> = fc.record(
  { actor: id, cause: id, executionId: id, traceId: id, spanId: id },
  { requiredKeys: [] },
)

const wait: fc.Arbitrary<Wait> = fc.oneof(
  { weight: 12, arbitrary: fc.nat(2_000) },
  { weight: 4, arbitrary: fc.constant('due' as const) },
  { weight: 1, arbitrary: fc.constantFrom('attempt deadline', 'deadline', 'expiry') },
)

function act(commands: fc.Arbitrary<Command>, waits: fc.Arbitrary<Wait> = wait): fc.Arbitrary<Act> {
  return fc.record({ wait: waits, command: commands, context })
}

/** What a worker does: it claims what is due, and later ends the attempt, most of the time in one of the usual ways. */
const attempt: fc.Arbitrary<Plan> = fc.tuple(
  act(release),
  act(claim, fc.constant('due')),
  act(fc.oneof({ weight: 7, arbitrary: ingest }, { weight: 4, arbitrary: command }, { weight: 1, arbitrary: cancel })),
  fc.oneof(
    { weight: 8, arbitrary: act(finish) },
    { weight: 1, arbitrary: act(giveBack) },
    { weight: 1, arbitrary: act(lose) },
    { weight: 1, arbitrary: act(elapse, fc.constant('attempt deadline')) },
  ),
  act(fc.oneof({ weight: 3, arbitrary: ingest }, { weight: 1, arbitrary: command })),
)

const fragment: fc.Arbitrary<Plan> = fc.oneof(
  act(command).map((only) => [only]),
  attempt,
)

/** Any sequence of commands. It nearly always begins with a submit: without a job there is little to see. */
export const plan: fc.Arbitrary<Plan> = fc
  .tuple(fc.nat(30), act(command), act(submit), fc.array(fragment, { maxLength: 12, size: 'max' }))
  .map(([early, first, submission, rest]) => [...(early === 0 ? [first] : []), submission, ...rest.flat()])
