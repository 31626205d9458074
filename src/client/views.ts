import type { Role } from '../core/access/key.ts'
import type { LogEntry, WorkerRow } from '../store/store.ts'

/** On the other side of a wire a definition is its type. */
export type Typed<Options> = Omit<Options, 'job'> & { readonly type?: string }

/** A worker, with dates where the library has numbers. */
type Times = 'startedAt' | 'seenAt' | 'leaseUntil'
export type RemoteWorker = Omit<WorkerRow, Times | 'lostAt'> & { readonly [T in Times]: Date } & {
  readonly lostAt: Date | null
}

/** An entry of the log, the same. */
export type RemoteEntry = Omit<LogEntry, 'occurredAt' | 'receivedAt'> & {
  readonly occurredAt: Date
  readonly receivedAt: Date
}

export interface NewKey {
  readonly label: string
  readonly role: Role
  readonly path?: string | null
  readonly expiresAt?: Date
}

export interface KeyView {
  readonly id: string
  readonly label: string
  readonly role: Role
  readonly path: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

/** Who somebody is to the server. */
export interface AccessView {
  /** Stands in the log with whatever they do. */
  readonly actor: string
  readonly role: Role
  /** The branch that they reach; null for everything. */
  readonly path: string | null
}

/** What was submitted and ended within ten seconds. */
export interface ThroughputPoint {
  readonly at: Date
  readonly submitted: number
  readonly completed: number
  /** For good. */
  readonly failed: number
  /** Or skipped. */
  readonly cancelled: number
}

/** A server, as it tells of itself. What is null is not told to a key of a branch. */
export interface ServerView {
  readonly version: string
  readonly node: string
  readonly store: 'sqlite' | 'postgres'
  readonly startedAt: Date
  /** The time of the database. */
  readonly now: Date
  readonly storeMs: number
  readonly settings: {
    readonly requireKeys: boolean
    readonly commands: boolean
    readonly requestsPerSecond: number
    readonly basePath: string
    readonly allowedHosts: readonly string[]
    readonly allowedOrigins: readonly string[]
  } | null
  readonly process: {
    readonly residentBytes: number
    readonly eventLoopDelayMs: number
    readonly answered: number
    readonly refused: number
    readonly failed: number
    readonly meanMs: number | null
  } | null
  readonly counters: readonly { readonly name: string; readonly help: string; readonly value: number }[] | null
}
