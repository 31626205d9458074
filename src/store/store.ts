import type { StintError } from '../core/errors.ts'
import type { Limit, LimitInput } from '../core/gates/limit.ts'
import type { Group, GroupCounts } from '../core/group/group.ts'
import type { Command, Context } from '../core/job/commands.ts'
import type { JobEvent, RunFacts } from '../core/job/events.ts'
import type { Job, Outcome, Run } from '../core/job/job.ts'
import type { Observed } from '../core/job/outside-event.ts'
import type { JsonObject } from '../core/json.ts'
import type { ShardCounts } from '../core/shard/sharded.ts'
import type { ControlName, Controls } from './controls.ts'
import type { LogEntry } from './log-entry.ts'
import type { Submission } from './new-job.ts'
import type { PastJob } from './retention/pasts.ts'

export type { OnConflict, Submission } from './new-job.ts'
export type { LogEntry }

/**
 * The port between Stint and a database. One method is one transaction: after it returns, all of it is durable; when it
 * throws, none of it happened. Methods take and return many: a batch costs little more than one. What is wrong with one
 * item is in that item's result and never stops the others; a method throws only for what concerns all (no connection).
 *
 * Times are epoch milliseconds of the database's clock. Every method that needs the time takes an optional `now`, so that
 * tests and simulations can hold the clock.
 */
export interface Store {
  readonly kind: 'sqlite' | 'postgres'
  /** The database's time. */
  now(): Promise<number>
  /** Creates jobs, each by its own conflict policy. */
  submit(submissions: readonly Submission[], options?: InTurn): Promise<readonly SubmitResult[]>
  /** Takes ready jobs for a worker, in order or in turns, never more than asked, no job for two workers. */
  claim(request: ClaimRequest): Promise<readonly StoredJob[]>
  /** Decides and writes commands. One command a job and call; several of one job are done one after the other. */
  apply(requests: readonly ApplyRequest[], options?: AtTime): Promise<readonly ApplyResult[]>
  /**
   * Ends attempts that have completed, as nearly all do, with less work than `apply`, and with the same outcome. One whose
   * job is not as it was claimed, or whose end lets others begin, may not be done: `apply` must decide it. Tasks of each sharded job
   * may be a transaction of their own: when it throws some may be done, and those that are repeated are found to be.
   */
  complete(completions: readonly Completion[], options?: AtTime): Promise<Completed>
  /** Records events from outside, each once, and lets those of live jobs count. */
  append(events: readonly NewEvent[], options?: AtTime): Promise<readonly AppendResult[]>
  /** Jobs by id or name, in the order asked; null where there is none. A name finds its live job, else the newest. */
  find(refs: readonly JobRef[]): Promise<readonly (StoredJob | null)[]>
  /** What is kept of jobs that were pruned, by id or name, in the order asked; a name finds the newest that had it. */
  past(refs: readonly PastRef[]): Promise<readonly (PastJob | null)[]>
  /** The ended runs of a job, by attempt, also of one that was pruned. */
  runs(jobId: string): Promise<readonly Run[]>
  /**
   * Events in log order. A reader that follows the cursor of the whole log sees every committed event exactly once, which
   * on PostgreSQL can mean later: not before all transactions that began earlier have ended. With `jobId` it is the
   * history of one job as it stands now, and a reader who follows it may miss an event from outside. With `record` it is that
   * of one record, in which nothing appears behind a reader, or of all records that have a path, in which something may. With
   * `jobs` it is the whole log, of which only what concerns these is given: the cursor passes over the rest.
   */
  events(request: EventsRequest): Promise<EventsPage>
  /** A cursor of the whole log behind which nothing is shown yet: all that is written from now on comes after it. */
  logEnd(): Promise<string>
  /** Entries that are written, and that no reader of the log sees yet; null when there are none. Absent where that cannot be. */
  heldBack?(): Promise<HeldBack | null>
  /** Jobs, the newest first. */
  list(request: ListRequest): Promise<ListPage>
  /** What is directly below a path of the tree of names, in the order of bytes. */
  tree(request: TreeRequest): Promise<TreePage>
  /** How many jobs wait and run, of each type in each namespace that has some. */
  depths(): Promise<readonly DepthRow[]>

  /**
   * Creates jobs inside a transaction of the caller's on the same database, with the caller's client. Only PostgreSQL has
   * it: on SQLite every transaction is one of the store's own.
   */
  submitWithin?(client: QueryClient, submissions: readonly Submission[]): Promise<readonly SubmitResult[]>

  // ---- workers

  /**
   * Makes a worker known; its lease begins. Its id is new: a worker is one life of a process. Repeating it does no harm,
   * for when the answer was lost.
   */
  register(worker: NewWorker, options?: AtTime): Promise<void>
  /** Renews the lease of a worker. False when it was found lost: then it holds nothing any more. */
  renew(request: RenewRequest): Promise<boolean>
  /** Forgets a worker that has stopped. One that still holds something is left, to be found lost. */
  retire(workerId: string): Promise<void>
  /** Marks the workers whose lease is over as lost, and tells which. From then on they can claim nothing. */
  buryLost(options?: AtTime): Promise<readonly string[]>
  /** All workers, the newest first. */
  workers(): Promise<readonly WorkerRow[]>
  /** The attempts that a worker holds, as the store knows it. */
  held(workerId: string): Promise<readonly HeldAttempt[]>
  /** Attempts whose worker is lost or was never known, for rescue. */
  orphans(request: PageRequest): Promise<OrphansPage>

  // ---- upkeep

  /** Jobs that time alone changes, for `elapse`. */
  overdue(request: OverdueRequest): Promise<OverduePage>
  /** Begins to cancel all live jobs below a name. Whoever calls `followUp` carries it out. */
  cancelBranch(request: BranchRequest): Promise<void>
  /** Does a page of what decisions have left to do, and tells whether there is more. */
  followUp(request: FollowUpRequest): Promise<boolean>

  // ---- gates

  /** Sets a limit, for all attempts that start from now on. */
  setLimit(limit: LimitInput): Promise<void>
  /** Forgets a limit. False when there is none. */
  removeLimit(key: string): Promise<boolean>
  limits(): Promise<readonly LimitRow[]>
  /** From now on no job of a branch or a type starts. What runs goes on. */
  pause(request: PauseRequest, options?: AtTime): Promise<void>
  /** False when it was not paused. */
  resume(request: PauseRequest): Promise<boolean>
  pauses(): Promise<readonly PauseRow[]>
  /** Gives a job that has not been dispatched another place in the queue. */
  move(request: MoveRequest, options?: AtTime): Promise<StoredJob>
  /** Ready jobs in the order in which workers get them. */
  queue(request: QueueRequest): Promise<readonly StoredJob[]>
  /** What keeps queued jobs from being claimed, one for each id; null for what nothing does, or that is not queued. */
  gates(jobIds: readonly string[]): Promise<readonly (ShutGate | null)[]>

  // ---- what is described rather than run

  /** Changes or reads templates, schedules, groups and the like, by the name of what to do. Throws when it is refused. */
  control<N extends ControlName>(
    name: N,
    input: Controls[N]['input'],
    options?: ControlOptions,
  ): Promise<Controls[N]['output']>

  // ---- what an attempt tells while it runs

  /** Saves progress, checkpoints and lines of the log. False for an attempt that no longer holds its job. */
  report(reports: readonly Report[], options?: AtTime): Promise<readonly boolean[]>
  /** What was reported of a job. */
  notes(jobId: string): Promise<Notes>
  logs(request: LogsRequest): Promise<readonly LogLine[]>

  /** A page of jobs and groups with all that must agree with them, for verification. */
  audit(request: AuditRequest): Promise<AuditPage>
  /**
   * Renews a worker's lease from a thread of its own, so that a program that is busy cannot miss it. Tells after each try
   * whether the worker still lives; after false it has stopped. Returns how to stop it.
   */
  heartbeat?(request: HeartbeatRequest, onBeat: (alive: boolean) => void): () => void
  /** Tells when other processes may have changed something. Never needed for correctness. Returns how to stop it. */
  watch?(onChange: () => void): () => void
  close(): Promise<void>
}

export interface HeldBack {
  /** When the first of them was written, in epoch milliseconds. */
  readonly since: number
  /** Whose transaction holds them back, for people; null when that cannot be seen. */
  readonly by: string | null
}

export interface HeartbeatRequest {
  readonly workerId: string
  readonly leaseMs: number
}

/** Runs a parametrised query. */
export interface QueryClient {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly object[] }>
}

export interface AtTime {
  readonly now?: number
}

/** One of several calls that are written one after the other. What a store can do before its turn it does meanwhile. */
export interface Turn {
  /** Resolves when those before it are written, or have failed. */
  readonly come: Promise<void>
  /** To be called once this one is written. */
  readonly over: () => void
}

export interface InTurn extends AtTime {
  readonly turn?: Turn
}

export interface ControlOptions extends AtTime {
  readonly context?: Context
}

/** A job with what its store keeps beside the state that the events give. */
export interface StoredJob {
  readonly job: Job
  /** JSON text; null without params. */
  readonly params: string | null
  readonly result: string | null
  /** W3C trace context of its submission. It is carried to the run and decides nothing. */
  readonly trace: string | null
  readonly guard: Guard
}

/** What a write must find unchanged. It belongs to the store and means nothing to anyone else. */
export interface Guard {
  /** Key of the row. */
  readonly pk: number
  /** Counts the writes of the row. A job's version counts its events; an outside event can change the one alone. */
  readonly revision: number
  /** Set once the job has lost its name and key: at its end, or when it is replaced. */
  readonly released: boolean
  /** The root of the job's name, which every event of it carries. */
  readonly namespace: string
}

export type SubmitResult =
  | { readonly outcome: 'created' | 'kept' | 'skipped'; readonly stored: StoredJob }
  | { readonly outcome: 'refused'; readonly error: StintError }

export interface ClaimRequest extends AtTime {
  readonly workerId: string
  readonly token: string
  /** The types that this worker knows. Jobs of other types are left for others. */
  readonly types: readonly string[]
  readonly limit: number
  /** How many of `limit` may be suspects, jobs that were lost with a worker. Default 1. */
  readonly suspectLimit?: number
  /** Only jobs at or below these names. Default all. */
  readonly paths?: readonly string[] | null
  /**
   * Namespaces take turns, from the one after `after`, which had the last turn: the jobs come back as they were dealt, the
   * first of each, then the second of each. Within a namespace the order holds. Default strict order of all.
   */
  readonly fairness?: { readonly after: string | null } | null
  readonly context?: Context
}

export interface ApplyRequest {
  /** A job as it was read, to decide without reading it again, or its id. */
  readonly job: StoredJob | string
  readonly command: Exclude<Command, { type: 'submit' | 'claim' | 'ingest' | 'hold' }>
  /** JSON text of the result, with a completion. The store makes the digest that stands in the command. */
  readonly result?: string | null
  /** JSON text of new params, with an edit. The store makes what the command says of them. */
  readonly params?: string | null
  readonly context?: Context
}

export type ApplyResult =
  | { readonly ok: true; readonly stored: StoredJob; readonly events: readonly JobEvent[] }
  | { readonly ok: false; readonly error: StintError }

export interface Completion {
  /** The job as it was claimed. */
  readonly job: StoredJob
  /** JSON text of the result. */
  readonly result: string | null
  readonly facts?: RunFacts
  readonly context?: Context
}

export interface Completed {
  /** When, by the database's time. */
  readonly at: number
  /** For each completion whether it was done. */
  readonly done: readonly boolean[]
  /** Jobs that waited for these ends have gone on, or may have ended. */
  readonly woke?: boolean
  /** A claim went with it, and left nothing of what these ends let begin: nobody else need look. */
  readonly isTaken?: boolean
}

export interface MoveRequest {
  readonly jobId: string
  /** To the front or the end of its priority, or next to another job, whose priority it then has. */
  readonly to: 'front' | 'end' | { readonly before: string } | { readonly after: string }
  readonly context?: Context
}

export interface QueueRequest {
  /** Default all. */
  readonly types?: readonly string[]
  readonly limit: number
}

export interface LimitRow extends Limit {
  /** How many attempts hold it now. */
  readonly held: number
  /** How many have started within the time of its rate. */
  readonly started: number
  /** How many jobs wait at it. */
  readonly waiting: number
}

/** A branch or a type. */
export interface PauseRequest {
  readonly path?: string
  readonly type?: string
  /** For people. */
  readonly reason?: string
}

export interface PauseRow {
  readonly path: string | null
  readonly type: string | null
  readonly reason: string | null
  readonly since: number
}

export type ShutGate =
  | {
      readonly kind: 'paused'
      readonly path: string | null
      readonly type: string | null
      readonly reason: string | null
    }
  /** `holders` are names of jobs that hold the limit, some of them if there are many. */
  | { readonly kind: 'limit'; readonly limit: Limit; readonly holders: readonly string[]; readonly held: number }

export interface NewWorker {
  readonly id: string
  /** A label for people. Several workers may have the same. */
  readonly name: string
  readonly leaseMs: number
  /** The types of jobs that it knows, for people who ask why a job does not run. */
  readonly types?: readonly string[]
  /** The branches that it is bound to, for the same people. Default none: it takes jobs wherever they are. */
  readonly paths?: readonly string[] | null
}

export interface RenewRequest extends AtTime {
  readonly workerId: string
  readonly leaseMs: number
}

export interface WorkerRow {
  readonly id: string
  readonly name: string
  readonly startedAt: number
  readonly seenAt: number
  readonly leaseUntil: number
  readonly lostAt: number | null
  readonly types: readonly string[]
  /** The branches that it is bound to; null when it takes jobs wherever they are. */
  readonly paths: readonly string[] | null
}

export interface HeldAttempt {
  readonly jobId: string
  readonly token: string
  /** Its end was asked for. */
  readonly cancelAsked: boolean
}

/** A page by key: `after` is `next` of the page before, null for the first. */
export interface PageRequest {
  readonly after: number | null
  readonly limit: number
}

export interface OrphansPage {
  readonly attempts: readonly Orphan[]
  readonly next: number | null
}

export interface Orphan {
  readonly jobId: string
  readonly token: string
  /** Its worker held no other job when it was found lost. False when nobody knows. */
  readonly alone: boolean
}

export interface OverdueRequest extends AtTime {
  readonly after: DeadlineKey | null
  readonly limit: number
}

export interface DeadlineKey {
  readonly at: number
  readonly job: number
}

export interface OverduePage {
  readonly jobIds: readonly string[]
  readonly next: DeadlineKey | null
}

export interface BranchRequest {
  /** All live jobs below this name, itself left out. */
  readonly name: string
  readonly reason: string
  readonly context?: Context
}

export interface FollowUpRequest extends AtTime {
  /** How many jobs at the most. */
  readonly limit: number
  /** How many of the oldest follow-ups to pass over. Default 0. */
  readonly skip?: number
}

export interface Report {
  readonly jobId: string
  readonly token: string
  readonly progress?: { readonly done: number; readonly total: number | null }
  /** JSON text that the next attempt gets if this one fails. */
  readonly checkpoint?: string
  readonly lines?: readonly LogLine[]
}

/** One line of a run's log. Lines of one attempt are numbered from 1 by whoever writes them. */
export interface LogLine {
  readonly seq: number
  readonly at: number
  readonly line: string
}

export interface Notes {
  readonly progress: { readonly done: number; readonly total: number | null } | null
  readonly checkpoint: string | null
}

export interface LogsRequest {
  readonly jobId: string
  readonly attempt: number
  readonly afterSeq?: number
  readonly limit: number
}

/** What to list. Absent fields let everything through. */
export interface ListRequest {
  /** `next` of the page before. */
  readonly before?: number | null
  readonly limit: number
  readonly type?: string
  readonly status?: 'queued' | 'running' | 'final'
  readonly outcome?: Outcome
  readonly cancelled?: boolean
  /** This name and all below it. */
  readonly branch?: string
  readonly key?: string
  readonly label?: { readonly name: string; readonly value: string }
  /** False leaves out tasks of sharded jobs. Default true. */
  readonly tasks?: boolean
}

export interface ListPage {
  readonly jobs: readonly StoredJob[]
  /**
   * Null when there is no more. A page can be short, or empty, though there is more: what is rare among very many jobs is not
   * looked for among all of them at once.
   */
  readonly next: number | null
}

export interface TreeRequest {
  /** Null for the roots, which are the namespaces. */
  readonly path: string | null
  /** `next` of the page before; null or absent for the first. */
  readonly after?: string | null
  readonly limit: number
}

export interface TreePage {
  readonly nodes: readonly TreeNode[]
  /** The last component of the last node; null after the last page. */
  readonly next: string | null
}

/**
 * One component further down. Tasks of sharded jobs are no nodes: there may be very many, and they are counted with their
 * job. Jobs that were pruned are not seen here.
 */
export interface TreeNode {
  readonly path: string
  /** Whether there is a job of exactly this name, live or over. */
  readonly job: boolean
  /** Whether something other than tasks is below it. */
  readonly branch: boolean
  /** Jobs at and below it that hold their names: those that are not over. */
  readonly live: CappedCount
  /** The others. One that was replaced and has not stopped yet is counted here. */
  readonly finished: CappedCount
}

/** A count that goes no further than it must to be worth reading. */
export interface CappedCount {
  readonly count: number
  /** There are more, or some were not looked at. */
  readonly more: boolean
}

/** Jobs of one type in one namespace, by their seats. */
export interface DepthRow {
  readonly namespace: string
  readonly type: string
  /** May start now. */
  readonly ready: number
  /** Have to wait for their time. One whose time has just come is here until the next claim. */
  readonly delayed: number
  /** Wait at a limit or a pause. */
  readonly gated: number
  /** Held by a worker. */
  readonly running: number
  /** When the oldest job that is ready was to start; null when none is. */
  readonly oldestReadyAt: number | null
}

/** An event from outside, as its sender gives it. */
export interface NewEvent extends Partial<Observed> {
  readonly namespace: string
  readonly source: string
  readonly id: string
  readonly type: string
  readonly occurredAt?: number
  readonly jobId?: string | null
  readonly taskId?: string | null
  readonly attributes?: JsonObject
}

export type AppendResult =
  | { readonly outcome: 'recorded' | 'duplicate' }
  | { readonly outcome: 'refused'; readonly error: StintError }

export type JobRef =
  | { readonly id: string }
  | { readonly name: string }
  /** Finds only a job that is not over. */
  | { readonly namespace: string; readonly type: string; readonly key: string }

export type PastRef = { readonly id: string } | { readonly name: string }

export interface EventsRequest {
  /** The cursor of the page before; null or absent for the beginning. */
  readonly after?: string | null
  /** How many entries it gives at the most; with `jobs`, how many it looks at. */
  readonly limit: number
  readonly jobId?: string
  /** The UUID of a record, or the path that one or more have. Not together with `jobId`. */
  readonly record?: string
  /** The newest come first, and a page goes on with older ones. Only for the whole log. Default false. */
  readonly newestFirst?: boolean
  /** UUIDs of jobs: whatever concerns others is passed over where it lies. Not together with what asks for another order or log. */
  readonly jobs?: readonly string[]
}

export interface EventsPage {
  readonly entries: readonly LogEntry[]
  /** For each entry the cursor that continues after it. Cursors of a store are in order: as numbers, dot by dot. */
  readonly cursors: readonly string[]
  /** Continues after the last entry that it looked at; unchanged when there was none. */
  readonly cursor: string | null
  /** How many entries it looked at, where it does not give them all. */
  readonly looked?: number
}

export interface AuditRequest {
  /** `next` of the page before; null for the first. */
  readonly after: number | null
  readonly limit: number
}

export interface AuditPage {
  readonly jobs: readonly AuditedJob[]
  readonly groups: readonly AuditedGroup[]
  /** On the last page: seats, names, keys and members that belong to no job, or to one that cannot have them. */
  readonly strays: readonly StraySeat[]
  /** Null after the last page. */
  readonly next: number | null
}

/** A job and everything that is stored about it, read at one instant. */
export interface AuditedJob {
  readonly stored: StoredJob
  /** Null for a job that is not split. */
  readonly shards: AuditedShards | null
  readonly own: readonly JobEvent[]
  readonly outside: readonly LogEntry[]
  readonly runs: readonly Run[]
  readonly seats: readonly SeatRow[]
  /** Keys of the jobs and the group that it waits for. Only a pending job waits, and only for what has not ended. */
  readonly waitsFor: readonly number[]
  /** When the store looks at the job because of its time. */
  readonly deadlines: readonly number[]
  /** What the store says that this job holds and no other can have: every live job its name, and its key if it has one. */
  readonly handles: readonly ('name' | 'key')[]
}

/** A group, and what is counted anew of its members, at one instant. */
/** What a sharded job keeps of its tasks, and what is counted of them. */
export interface AuditedShards extends ShardCounts {
  readonly tasks: Pick<ShardCounts, 'opened' | 'done' | 'failed'>
}

export interface AuditedGroup {
  readonly id: string
  readonly group: Group
  /** Whether it has left its path to others. */
  readonly released: boolean
  readonly counts: GroupCounts
  /** How many of its members wait for it. */
  readonly waiting: number
  /** Whether something is left to be done to its members. */
  readonly isFollowedUp: boolean
}

export interface StraySeat {
  readonly seat: 'ready' | 'delayed' | 'gated' | 'claim' | 'permit' | 'no permit' | 'name' | 'key' | 'member'
  readonly job: number
  readonly revision: number
}

/** A row that says where a live job stands. Every queued or running job has exactly one, all others have none. */
export interface SeatRow {
  readonly seat: 'ready' | 'delayed' | 'gated' | 'claim'
  readonly revision: number
  readonly lane: number | null
}
