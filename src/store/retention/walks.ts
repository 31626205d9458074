import type { Awaitable } from '../awaitable.ts'

/** What retention walks over: jobs in the order of their keys, and the log in its order. The number is what stores keep. */
export const walkKinds = { jobs: 1, log: 2 } as const

export type WalkKind = keyof typeof walkKinds

/** How far a walk is. A position is a text that belongs to the store; all begin with `walkBeginning`. */
export interface Walk {
  readonly kind: WalkKind
  /** The last position that was walked over. */
  readonly front: string
  /** Policies have changed: stretches after this key are to be looked at again. Null when all have been. */
  readonly reviewAfter: number | null
  /** What is younger than this cannot leave by any policy; null when nothing can. */
  readonly shortestMs: number | null
}

export const walkBeginning = '0'

/** A part of what was walked over, in which something was left, and when something of it can leave at the earliest. */
export interface Stretch {
  readonly pk: number
  readonly kind: WalkKind
  /** After this position … */
  readonly after: string
  /** … up to this one. */
  readonly upto: string
  readonly madeAt: number
  /** Null for never, as policies stand. */
  readonly dueAt: number | null
}

/** Walks and their stretches, inside one transaction. */
export interface Walks {
  /** How far a walk is, held until the end of the transaction; null while somebody else holds it. */
  hold(kind: WalkKind): Awaitable<Walk | null>
  save(walk: Walk): Awaitable<void>
  /** Everything that was walked over is to be looked at again. */
  review(): Awaitable<void>
  /** The stretch that has been due for longest and that nobody else is at, held. */
  due(kind: WalkKind): Awaitable<Stretch | null>
  /** A stretch by its key, held. */
  get(kind: WalkKind, pk: number): Awaitable<Stretch | null>
  add(stretch: Omit<Stretch, 'pk'>): Awaitable<Stretch>
  setDue(pk: number, dueAt: number | null): Awaitable<void>
  remove(pk: number): Awaitable<void>
  /** Makes the next stretches after a key due, and gives the last of their keys; null when there are no more. */
  makeDue(kind: WalkKind, after: number, limit: number): Awaitable<number | null>
}

/** The same columns on both stores. */
export interface WalkRow {
  readonly front: string
  readonly review_after: number | null
  readonly shortest_ms: number | null
}

export interface StretchRow {
  readonly pk: number
  readonly after: string
  readonly upto: string
  readonly made_at: number
  readonly due_at: number | null
}

export function walkOfRow(kind: WalkKind, { front, review_after, shortest_ms }: WalkRow): Walk {
  return { kind, front, reviewAfter: review_after, shortestMs: shortest_ms }
}

export function walkRow({ front, reviewAfter, shortestMs }: Walk): WalkRow {
  return { front, review_after: reviewAfter, shortest_ms: shortestMs }
}

export function stretchOfRow(kind: WalkKind, { pk, after, upto, made_at, due_at }: StretchRow): Stretch {
  return { pk, kind, after, upto, madeAt: made_at, dueAt: due_at }
}

export function stretchRow({ after, upto, madeAt, dueAt }: Omit<Stretch, 'pk'>): Omit<StretchRow, 'pk'> {
  return { after, upto, made_at: madeAt, due_at: dueAt }
}
