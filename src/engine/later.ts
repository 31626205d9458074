import type { AwaitedEvent } from '../core/job/awaits.ts'

export interface LaterOptions {
  /** The events from outside that complete the job, all of them, in any order. Without them an answer completes it. */
  readonly events?: readonly (Pick<AwaitedEvent, 'eventType'> & Partial<AwaitedEvent>)[]
  /** Types of events that fail the job for good. */
  readonly failOn?: readonly string[]
  /** How long to wait, in milliseconds; then the attempt has timed out. Default for ever. */
  readonly timeoutMs?: number
}

/** What `ctx.later()` gives, for a handler to return. */
export class Later {
  readonly options: LaterOptions
  constructor(options: LaterOptions = {}) {
    this.options = options
  }
}

/** What `ctx.retryIn()` gives, for a handler to return. */
export class Snooze {
  readonly delayMs: number
  constructor(delayMs: number) {
    this.delayMs = delayMs
  }
}

/** Throw it from a handler when trying again is of no use. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
}

/** Throw it from a slice when the whole sharded job has failed, whatever it tolerates. */
export class FailJobError extends Error {
  override readonly name = 'FailJobError'
}
