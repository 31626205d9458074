import type { Awaitable } from '../awaitable.ts'

/** A request that is to be done once however often it is sent, and how it was answered. */
export interface Answer {
  /** A hash of who asked, what, and the key that they gave. */
  readonly id: string
  /** A hash of the request: the same key with another request is a mistake. */
  readonly fingerprint: string
  /** Null while it is being answered. */
  readonly status: number | null
  readonly body: string | null
  /** Until when it is kept; while it is being answered, until when nobody else may begin. */
  readonly expiresAt: number
}

/** Answers inside one transaction. */
export interface Answers {
  /** Writes one that is new, or gives the one that is there, held until the end of the transaction. */
  hold(answer: Answer): Awaitable<Answer | null>
  /** Writes one that is held. */
  write(answer: Answer): Awaitable<void>
  remove(id: string): Awaitable<void>
  /** Forgets some whose time is over. */
  sweep(now: number): Awaitable<void>
}
