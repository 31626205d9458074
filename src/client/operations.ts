import type { Page } from '../engine/jobs-api.ts'
import type { Transport } from './transport.ts'

/** What is done to many jobs, in the background. */
export interface NewOperation {
  readonly action: 'cancel' | 'retry'
  readonly filter: OperationFilter
  readonly reason?: string
}

export interface OperationFilter {
  readonly branch?: string
  readonly type?: string
  readonly status?: 'QUEUED' | 'RUNNING' | 'CANCELLED' | 'FINISHED'
  readonly outcome?: 'COMPLETED' | 'FAILED' | 'SKIPPED'
  readonly key?: string
  readonly label?: { readonly name: string; readonly value: string }
  /** Stands in the name, type, key or error, whatever the case. */
  readonly text?: string
  /** Stands in the error, whatever the case. */
  readonly error?: string
  /** Values in the params by where they are, `{ 'customer.id': '42' }`, as text. */
  readonly params?: Readonly<Record<string, string>>
  /** Created then or later. */
  readonly since?: Date
}

export interface OperationView {
  readonly id: string
  readonly action: NewOperation['action']
  readonly filter: OperationFilter
  readonly status: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELLED'
  readonly counts: { readonly done: number; readonly refused: number; readonly firstRefusal: string | null }
  readonly error: string | null
  readonly requestedBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

type Paged = { readonly cursor?: string | null; readonly limit?: number }

/** Cancels or runs again all jobs of a branch or a filter. Only a server does that: the library has no such thing. */
export function operationsOf(http: () => Transport) {
  const at = (id: string) => `/operations/${encodeURIComponent(id)}`
  return {
    begin: (operation: NewOperation): Promise<OperationView> => http().post('/operations', operation),
    get: (id: string): Promise<OperationView> => http().get(at(id)),
    list: (query: Paged = {}): Promise<Page<OperationView>> => http().get('/operations', { query }),
    cancel: (id: string): Promise<OperationView> => http().post(`${at(id)}/cancel`),
  }
}
