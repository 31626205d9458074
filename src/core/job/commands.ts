import type { Awaits } from './awaits.ts'
import type { NewParams, Origin, Resolved, RunFacts } from './events.ts'
import type { JobSpec, Progress } from './job.ts'
import type { Observed, OutsideEvent } from './outside-event.ts'

/** Who and what stands behind a command. It is written to the events and decides nothing. */
export type Context = Partial<Origin & Observed>

/** How an attempt ended, as its worker or somebody outside tells it. */
export type Ending =
  | { readonly kind: 'completed'; readonly resultDigest: string | null; readonly facts?: RunFacts }
  /** `terminal`: trying again is of no use. `random` from [0, 1) places the next attempt within the backoff. */
  | {
      readonly kind: 'failed'
      readonly error: string
      readonly terminal: boolean
      readonly random: number
      readonly facts?: RunFacts
      /** Of a task: the whole sharded job has failed. */
      readonly failsJob?: true
    }
  /** The handler asked to be called again later. Not charged, a bounded number of times. */
  | { readonly kind: 'snoozed'; readonly delayMs: number; readonly random: number }
  /** The handler returned `later`: the attempt stays open and no worker is held. Null awaits keep those of the job. */
  | {
      readonly kind: 'suspended'
      readonly awaits: Awaits | null
      readonly until: number | null
      /** UUID of the job or slot whose value is to be its result. */
      readonly output?: string
    }
  /** The handler stopped because it was told to. */
  | { readonly kind: 'cancelled'; readonly facts?: RunFacts }
  /** A sharded job has planned its tasks, and they are there. */
  | { readonly kind: 'planned'; readonly shards: number }
  /** A slice of a task, its number and the state that it gave back. `position` is a place behind all others. */
  | {
      readonly kind: 'sliced'
      readonly seq: number
      readonly stateDigest: string | null
      readonly progress: Progress | null
      readonly position: number
      readonly random: number
    }

/** What the outside may answer: an ending that needs no worker. */
export type Answer = Extract<Ending, { kind: 'completed' | 'failed' }>

/** Whether jobs that the attempt submitted still live. The store has looked, in the same transaction. */
interface MayEndAttempt {
  readonly children?: boolean
}

export type Command =
  | { readonly type: 'submit'; readonly spec: JobSpec; readonly pending: boolean; readonly skip: string | null }
  /** The last gate of a pending job has opened. */
  | { readonly type: 'release'; readonly resolved?: Resolved }
  /** The value that the attempt waits for is there, or cannot come: then with an error. */
  | ({
      readonly type: 'receive'
      readonly resultDigest: string | null
      readonly error: string | null
    } & MayEndAttempt)
  /** The tasks of a sharded job are over, or its failure is certain: then with an error. */
  | ({ readonly type: 'gather'; readonly error: string | null } & MayEndAttempt)
  /** A queued job that has not started is to wait for a gate again. */
  | { readonly type: 'hold' }
  | { readonly type: 'edit'; readonly changes: Edit }
  | { readonly type: 'claim'; readonly workerId: string; readonly token: string }
  | ({ readonly type: 'finish'; readonly token: string; readonly ending: Ending } & MayEndAttempt)
  /** A worker that stops gives the attempt back; nothing is charged. */
  | ({ readonly type: 'giveBack'; readonly token: string } & MayEndAttempt)
  /** The worker of this attempt is dead. `alone`: it held no other job, so nothing else can have killed it. */
  | ({
      readonly type: 'lose'
      readonly token: string
      readonly random: number
      readonly alone: boolean
    } & MayEndAttempt)
  /** Time has passed: of the attempt, of the job, or of waiting for the first attempt. */
  | ({ readonly type: 'elapse'; readonly random: number } & MayEndAttempt)
  | ({ readonly type: 'cancel'; readonly reason: string } & MayEndAttempt)
  | { readonly type: 'skip'; readonly reason: string; readonly cancelled: boolean }
  | ({ readonly type: 'answer'; readonly answer: Answer } & MayEndAttempt)
  /** Events from outside that carry this job's id, in any order, any of them again. */
  | ({ readonly type: 'ingest'; readonly events: readonly OutsideEvent[] } & MayEndAttempt)

export interface Edit {
  readonly priority?: number
  readonly position?: number
  readonly scheduledFor?: number
  readonly params?: NewParams
}
