import type { LimitInput } from '../core/gates/limit.ts'
import type { AwaitedEvent } from '../core/job/awaits.ts'
import type { Context } from '../core/job/commands.ts'
import type { Labels, OnFailure, RetryPolicy } from '../core/job/job.ts'
import type { Needs } from '../core/slot/needs.ts'

export type OnConflict = 'error' | 'keep' | 'skip' | 'replace'

/** What to submit. Absent fields have the defaults of a job. */
export interface Submission {
  readonly id: string
  readonly name: string
  /** May be absent with a template, which then says it. */
  readonly type?: string
  readonly key?: string | null
  /** JSON text, as `toJsonText` gives it. */
  readonly params?: string | null
  readonly labels?: Labels
  readonly priority?: number
  /** When it may run first; default now. */
  readonly scheduledFor?: number
  readonly expiresAt?: number | null
  readonly retry?: Partial<RetryPolicy>
  readonly timeoutMs?: number | null
  readonly deadlineAt?: number | null
  readonly awaits?: { readonly events: readonly AwaitedEvent[]; readonly failOn?: readonly string[] } | null
  /** The UUID or path of the template that it is made of: what it does not say itself, the template says. */
  readonly template?: string
  readonly templateId?: string | null
  readonly scheduleId?: string | null
  /** The UUID or path of the group that it is to be a member of, which must not be sealed. */
  readonly group?: string
  readonly retryOf?: string | null
  /** With `retryOf`, of a sharded job: the indexes of shards that run again although they are done. */
  readonly rerun?: readonly number[] | null
  readonly submittedBy?: string | null
  /** The attempt that submits it, which must still hold its job. */
  readonly parent?: { readonly jobId: string; readonly token: string } | null
  readonly onFailure?: OnFailure | null
  /** Jobs and slots of its namespace whose values it waits for, by UUID; also jobs that are submitted together with it. */
  readonly needs?: Pick<Needs, 'list'> & Partial<Needs>
  /** The limits that it keeps to, by key, and what they are from now on where that is said. */
  readonly limits?: readonly LimitInput[]
  readonly trace?: string | null
  readonly onConflict?: OnConflict
  /** The branch that whoever submits can see: a job elsewhere that has its key or id is neither touched nor told of. */
  readonly within?: string
  readonly context?: Context
}
