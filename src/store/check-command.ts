import type { Ending } from '../core/job/commands.ts'
import type { RunFacts } from '../core/job/events.ts'
import type { Progress } from '../core/job/job.ts'
import { sanitisedText } from '../core/json.ts'
import { shardMax } from '../core/shard/sharded.ts'
import {
  checkArray,
  checkBoolean,
  checkContext,
  checkDuration,
  checkInstant,
  checkInteger,
  checkObject,
  checkOptionalInstant,
  checkRandom,
  checkText,
  checkUuid,
  refuse,
} from './check-input.ts'
import type { ApplyRequest } from './store.ts'
import { checkAwaits, checkJsonText } from './submission.ts'

type ApplyCommand = ApplyRequest['command']
type Edit = Extract<ApplyCommand, { type: 'edit' }>['changes']

const priorityMax = 1_000_000
const reasonMaxBytes = 4_096
const artifactMax = 1_000
const pathMax = 4_096

/**
 * A request as it can be decided and written on both stores. What its caller got wrong is refused, before anything is
 * written; what a handler said is made to fit instead, because an attempt must reach its end whatever its handler did.
 */
export function checkRequest(request: ApplyRequest): ApplyRequest {
  checkObject(request, 'a request')
  const command = checkCommand(checkObject(request.command, 'command') as ApplyCommand)
  return {
    job: checkJob(request.job),
    command,
    // Only a completion has a result, and only an edit has params: with any other command they would change the job in
    // silence, without an event.
    ...(completes(command) ? { result: checkJsonText(request.result ?? null, 'result') } : {}),
    ...(command.type === 'edit' && request.params !== undefined
      ? { params: checkJsonText(request.params, 'params') }
      : {}),
    context: checkContext(request.context),
  }
}

function checkJob(job: ApplyRequest['job']): ApplyRequest['job'] {
  if (typeof job === 'string') return job
  const isStored = typeof job?.job?.id === 'string' && Number.isSafeInteger(job.guard?.pk)
  if (isStored && Number.isSafeInteger(job.guard.revision)) return job
  throw refuse('job', job, 'must be a job as it was read, or its id')
}

function completes(command: ApplyCommand): boolean {
  if (command.type === 'finish') return command.ending.kind === 'completed' || command.ending.kind === 'sliced'
  return command.type === 'answer' && command.answer.kind === 'completed'
}

function checkCommand(command: ApplyCommand): ApplyCommand {
  switch (command.type) {
    case 'finish':
      return { type: 'finish', token: checkToken(command.token), ending: checkEnding(command.ending, 'ending') }
    case 'giveBack':
      return { type: 'giveBack', token: checkToken(command.token) }
    case 'lose':
      return {
        type: 'lose',
        token: checkToken(command.token),
        random: checkRandom(command.random, 'random'),
        alone: checkBoolean(command.alone, 'alone'),
      }
    case 'elapse':
      return { type: 'elapse', random: checkRandom(command.random, 'random') }
    case 'cancel':
      return { type: 'cancel', reason: checkText(command.reason, 'reason', reasonMaxBytes) }
    case 'skip': {
      const reason = checkText(command.reason, 'reason', reasonMaxBytes)
      return { type: 'skip', reason, cancelled: checkBoolean(command.cancelled, 'cancelled') }
    }
    case 'answer': {
      const answer = checkEnding(command.answer, 'answer')
      if (answer.kind === 'completed' || answer.kind === 'failed') return { type: 'answer', answer }
      throw refuse('answer.kind', answer.kind, 'must be completed or failed')
    }
    case 'edit':
      return { type: 'edit', changes: checkEdit(command.changes) }
    case 'release':
      return { type: 'release' }
    default:
      throw refuse('command.type', (command as { type: unknown }).type, 'must be a command that can be applied')
  }
}

function checkEnding(given: Ending, field: string): Ending {
  const ending = checkObject(given, field) as Ending
  switch (ending.kind) {
    case 'completed':
      // The store makes the digest, from the very text that it keeps.
      return { kind: 'completed', resultDigest: null, ...checkFacts(ending.facts, field) }
    case 'failed': {
      if (typeof ending.error !== 'string') throw refuse(`${field}.error`, ending.error, 'must be a text')
      const terminal = checkBoolean(ending.terminal, `${field}.terminal`)
      const random = checkRandom(ending.random, `${field}.random`)
      const failsJob = ending.failsJob === true ? { failsJob: true as const } : {}
      return { kind: 'failed', error: ending.error, terminal, random, ...failsJob, ...checkFacts(ending.facts, field) }
    }
    case 'snoozed': {
      const delayMs = checkDuration(ending.delayMs, `${field}.delayMs`)
      return { kind: 'snoozed', delayMs, random: checkRandom(ending.random, `${field}.random`) }
    }
    case 'suspended': {
      const until = checkOptionalInstant(ending.until, `${field}.until`)
      const output = ending.output === undefined ? {} : { output: checkUuid(ending.output, `${field}.output`) }
      return { kind: 'suspended', awaits: checkAwaits(ending.awaits), until, ...output }
    }
    case 'cancelled':
      return { kind: 'cancelled', ...checkFacts(ending.facts, field) }
    case 'planned':
      return { kind: 'planned', shards: checkInteger(ending.shards, `${field}.shards`, 1, shardMax) }
    case 'sliced': {
      const seq = checkInteger(ending.seq, `${field}.seq`, 1, Number.MAX_SAFE_INTEGER)
      const random = checkRandom(ending.random, `${field}.random`)
      // The store makes digest and position.
      return {
        kind: 'sliced',
        seq,
        stateDigest: null,
        progress: checkProgress(ending.progress, field),
        position: 0,
        random,
      }
    }
    default:
      throw refuse(`${field}.kind`, (ending as { kind: unknown }).kind, 'must be an ending that exists')
  }
}

function checkProgress(given: unknown, field: string): Progress | null {
  if (given === null || given === undefined) return null
  const [done, total] = checkArray(given, `${field}.progress`, 2)
  if (isAmount(done) && isAmount(total)) return [done, total]
  throw refuse(`${field}.progress`, given, 'must be two numbers from 0 on: how much is done, and of how much')
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

export function checkFacts(given: RunFacts | undefined, field: string): { readonly facts?: RunFacts } {
  if (given === undefined) return {}
  const { exitCode, artifacts, logPath }: RunFacts = checkObject(given, `${field}.facts`)
  const facts: RunFacts = {
    ...(exitCode === undefined ? {} : { exitCode: checkExitCode(exitCode, `${field}.facts.exitCode`) }),
    ...(artifacts === undefined ? {} : { artifacts: checkArtifacts(artifacts, `${field}.facts.artifacts`) }),
    ...(logPath === undefined ? {} : { logPath: sanitisedPath(logPath, `${field}.facts.logPath`) }),
  }
  return { facts }
}

function checkExitCode(value: unknown, field: string): number {
  return checkInteger(value, field, -2_147_483_648, 2_147_483_647)
}

function checkArtifacts(value: unknown, field: string): readonly string[] {
  return checkArray(value, field, artifactMax).map((path, i) => sanitisedPath(path, `${field}[${i}]`))
}

/** Handlers name files as they like. */
function sanitisedPath(value: unknown, field: string): string {
  if (typeof value !== 'string') throw refuse(field, value, 'must be a text')
  return sanitisedText(value, pathMax)
}

/** Only what may be edited is taken over: whatever else stood in an edit would become a part of the job. */
function checkEdit(given: Edit): Edit {
  const { priority, position, scheduledFor, params, ...unknown }: Edit = checkObject(given, 'changes')
  const [stray] = Object.keys(unknown)
  if (stray !== undefined) throw refuse(`changes.${stray}`, stray, 'cannot be edited')
  const positionMax = Number.MAX_SAFE_INTEGER
  return {
    ...(priority === undefined ? {} : { priority: checkInteger(priority, 'priority', -priorityMax, priorityMax) }),
    ...(position === undefined ? {} : { position: checkInteger(position, 'position', -positionMax, positionMax) }),
    ...(scheduledFor === undefined ? {} : { scheduledFor: checkInstant(scheduledFor, 'scheduledFor') }),
  }
}

/** Any text will do: one that no attempt has is refused as stale. */
function checkToken(token: unknown): string {
  if (typeof token === 'string') return token
  throw refuse('token', token, 'must be a text')
}
