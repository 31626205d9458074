import { StintError } from '../core/errors.ts'
import { countEvent } from '../core/job/awaits.ts'
import type { Ending } from '../core/job/commands.ts'
import { step } from '../core/job/decide.ts'
import { changeOf } from './change.ts'
import { checkRequest } from './check-command.ts'
import { attempt, isUuid } from './check-input.ts'
import { childrenOf } from './children.ts'
import { digestOf } from './digest.ts'
import { writeWithEffects } from './effects.ts'
import { positionOf } from './event-data.ts'
import { missingJob } from './missing.ts'
import { returned } from './slots/returns.ts'
import type { ApplyRequest, ApplyResult, StoredJob } from './store.ts'
import type { Change, Transaction } from './transaction.ts'

/** How often a command may find its job changed by others before it gives up. */
const roundMax = 20

interface Entry {
  readonly index: number
  readonly request: ApplyRequest
  readonly id: string
  /** The job as it was read; null when it must be read (again). */
  readonly stored: StoredJob | null
}

/** Decides commands and writes what follows, in rounds: one command a job and round, conflicts in the next. */
export async function apply(tx: Transaction, requests: readonly ApplyRequest[]): Promise<readonly ApplyResult[]> {
  const results = new Map<number, ApplyResult>()
  let open = enter(requests, results)
  for (let round = 0; open.length > 0; round++) {
    const { first, rest } = oneForEachJob(open)
    const conflicts = round < roundMax + requests.length ? await applyRound(tx, first, results) : giveUp(first, results)
    open = [...conflicts, ...rest]
  }
  return requests.map((_, index) => results.get(index) as ApplyResult)
}

function enter(requests: readonly ApplyRequest[], results: Map<number, ApplyResult>): readonly Entry[] {
  const entries: Entry[] = []
  for (const [index, request] of requests.entries()) {
    const checked = attempt(() => checkRequest(request))
    if (checked instanceof StintError) results.set(index, { ok: false, error: checked })
    else entries.push(entryOf(checked, index))
  }
  return entries
}

function entryOf(request: ApplyRequest, index: number): Entry {
  const { job } = request
  return typeof job === 'string'
    ? { index, request, id: job, stored: null }
    : { index, request, id: job.job.id, stored: job }
}

/** A command that follows another of the same job must see what that one did, so it is read afresh. */
function oneForEachJob(entries: readonly Entry[]): { first: readonly Entry[]; rest: readonly Entry[] } {
  const seen = new Set<string>()
  const first: Entry[] = []
  const rest: Entry[] = []
  for (const entry of entries) {
    if (seen.has(entry.id)) rest.push({ ...entry, stored: null })
    else first.push(entry)
    seen.add(entry.id)
  }
  return { first, rest }
}

async function applyRound(
  tx: Transaction,
  entries: readonly Entry[],
  results: Map<number, ApplyResult>,
): Promise<readonly Entry[]> {
  const loaded = await loadMissing(tx, await withPlaces(tx, entries), results)
  const failing = loaded.filter(({ entry }) => mayFail(entry.request)).map(({ stored }) => stored)
  const parents = await childrenOf(tx, failing)
  const changes = new Map<Entry, Change>()
  const conflicts: Entry[] = []
  for (const { entry, stored } of loaded) {
    const change = await decideOne(tx, entry, stored, parents.has(stored.guard.pk))
    // What a job as it was allows is checked by the write; what it forbids may be allowed by now, so it is read again.
    if (change instanceof StintError && entry.stored !== null) conflicts.push({ ...entry, stored: null })
    else if (change instanceof StintError) results.set(entry.index, { ok: false, error: change })
    else if (change === null) results.set(entry.index, { ok: true, stored, events: [] })
    else changes.set(entry, change)
  }
  const written = await writeWithEffects(tx, [...changes.values()])
  for (const [entry, { before, after, events }] of changes) {
    if (written.has(before.guard.pk)) results.set(entry.index, { ok: true, stored: after, events })
    else conflicts.push({ ...entry, stored: null })
  }
  return conflicts
}

/** A task whose slice is done queues behind all others. */
async function withPlaces(tx: Transaction, entries: readonly Entry[]): Promise<readonly Entry[]> {
  const count = entries.filter(({ request }) => endsSlice(request.command)).length
  if (count === 0) return entries
  const places = [...(await tx.reserve(count))]
  return entries.map((entry) => {
    const { command } = entry.request
    if (!endsSlice(command)) return entry
    const ending = { ...command.ending, position: positionOf(places.shift() ?? 0) }
    return { ...entry, request: { ...entry.request, command: { ...command, ending } } }
  })
}

type EndOfSlice = Extract<ApplyRequest['command'], { type: 'finish' }> & {
  readonly ending: Extract<Ending, { kind: 'sliced' }>
}

function endsSlice(command: ApplyRequest['command']): command is EndOfSlice {
  return command.type === 'finish' && command.ending.kind === 'sliced'
}

async function loadMissing(
  tx: Transaction,
  entries: readonly Entry[],
  results: Map<number, ApplyResult>,
): Promise<readonly { entry: Entry; stored: StoredJob }[]> {
  const missing = entries.filter(({ stored }) => stored === null)
  // Locked before the look at its events or children: what comes at this moment comes either before that look or after all.
  // If one has to be, all are: those that are written without it would be reached after jobs with greater keys.
  const isHeld = entries.some(({ request }) => registersAwaits(request) || mayFail(request))
  const outputs = entries.flatMap(({ request }) => outputOf(request) ?? [])
  if (isHeld) await tx.lock([...entries.map(({ id }) => id).filter(isUuid), ...outputs])
  const read = missing.length === 0 ? [] : await tx.load(missing.map(({ id }) => id).filter(isUuid))
  const byId = new Map(read.map((stored) => [stored.job.id, stored]))
  return entries.flatMap((entry) => {
    const stored = entry.stored ?? byId.get(entry.id)
    if (stored !== undefined) return [{ entry, stored }]
    results.set(entry.index, { ok: false, error: missingJob(entry.id) })
    return []
  })
}

/** The change a command makes, null when it makes none, or the error that forbids it. */
async function decideOne(
  tx: Transaction,
  { request }: Entry,
  stored: StoredJob,
  children: boolean,
): Promise<Change | StintError | null> {
  const given = registersAwaits(request) ? await withEarlierEvents(tx, request.command, stored) : request.command
  const asked = await withReturned(tx, { ...request, command: given }, stored)
  if (asked instanceof StintError) return asked
  const digested = withDigests(asked.command, asked, stored)
  const command = children ? { ...digested, children } : digested
  return attempt(() => {
    const made = step(stored.job, command, tx.now, request.context)
    return made.events.length === 0 ? null : changeOf(stored, made, asked)
  })
}

/** What an attempt gives as its result may be there already. */
async function withReturned(
  tx: Transaction,
  request: ApplyRequest,
  stored: StoredJob,
): Promise<ApplyRequest | StintError> {
  const { command } = request
  if (outputOf(request) === null || command.type !== 'finish' || command.ending.kind !== 'suspended') return request
  try {
    const { ending, result } = await returned(tx, stored, command.ending)
    return { ...request, command: { ...command, ending }, result }
  } catch (error) {
    if (error instanceof StintError) return error
    throw error
  }
}

/** UUID of the job or slot whose value an attempt gives as its result. */
function outputOf({ command }: ApplyRequest): string | null {
  const isReturning = command.type === 'finish' && command.ending.kind === 'suspended'
  return isReturning ? (command.ending.output ?? null) : null
}

/** Digests are made here, from the very texts that are stored, so that the two can never disagree. */
function withDigests(
  command: ApplyRequest['command'],
  texts: { readonly params?: string | null; readonly result?: string | null },
  { params: replaced }: StoredJob,
): ApplyRequest['command'] {
  const resultDigest = digestOf(texts.result ?? null)
  if (command.type === 'finish' && command.ending.kind === 'completed') {
    return { ...command, ending: { ...command.ending, resultDigest } }
  }
  if (command.type === 'finish' && command.ending.kind === 'sliced') {
    return { ...command, ending: { ...command.ending, stateDigest: resultDigest } }
  }
  if (command.type === 'answer' && command.answer.kind === 'completed') {
    return { ...command, answer: { ...command.answer, resultDigest } }
  }
  if (command.type !== 'edit' || texts.params === undefined) return command
  return { ...command, changes: { ...command.changes, params: { digest: digestOf(texts.params), replaced } } }
}

/**
 * Whether the command can end an attempt without completing it. Only then do the jobs that it submitted matter. A snooze can,
 * too: when it is one too many, or when its job was to be cancelled.
 */
function mayFail({ command }: ApplyRequest): boolean {
  switch (command.type) {
    case 'finish':
      return !['completed', 'planned'].includes(command.ending.kind)
    case 'answer':
      return command.answer.kind !== 'completed'
    case 'giveBack':
    case 'lose':
    case 'elapse':
    case 'cancel':
      return true
    default:
      return false
  }
}

function registersAwaits({ command }: ApplyRequest): boolean {
  return command.type === 'finish' && command.ending.kind === 'suspended' && command.ending.awaits !== null
}

/**
 * Events that came before the job waited count too. The job is locked: an event that arrives now is recorded either
 * before this look at the log or after the wait is registered, never between.
 */
async function withEarlierEvents(
  tx: Transaction,
  command: ApplyRequest['command'],
  stored: StoredJob,
): Promise<ApplyRequest['command']> {
  if (command.type !== 'finish' || command.ending.kind !== 'suspended' || command.ending.awaits === null) return command
  const earlier = await tx.outsideEvents(stored.guard.pk)
  return { ...command, ending: { ...command.ending, awaits: earlier.reduce(countEvent, command.ending.awaits) } }
}

function giveUp(entries: readonly Entry[], results: Map<number, ApplyResult>): readonly Entry[] {
  for (const { index, id } of entries) {
    const message = `Job ${id} was changed by others all the time; nothing was written.`
    results.set(index, { ok: false, error: new StintError('conflict', message, { jobId: id }) })
  }
  return []
}
