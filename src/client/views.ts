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
