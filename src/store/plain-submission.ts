import { setImmediate as nextTurn } from 'node:timers/promises'
import { StintError } from '../core/errors.ts'
import { newJob } from '../core/job/evolve.ts'
import { attempt } from './check-input.ts'
import { jsonOrNull } from './encoding.ts'
import { encodeCreated, positionOf } from './event-data.ts'
import { optionsText } from './job-row.ts'
import type { StoredJob, Submission, SubmitResult, Turn } from './store.ts'
import { type Draft, draftOf } from './submission.ts'

/**
 * Most jobs are plain: they can run at once, have no key, no deadline and no parent, and their name is free. A batch of
 * such jobs needs no look at what is there: it is written with one narrow statement, which fails as a whole if a name or
 * an id is taken after all, or if there are defaults of paths. Then, and for everything else, `submit` looks first.
 */
export interface PlainRow {
  readonly id: string
  readonly name: string
  readonly namespace: string
  readonly type: string
  readonly priority: number
  readonly labels: string | null
  readonly options: string | null
  readonly params_digest: string | null
  readonly params: string | null
  readonly timeout_ms: number | null
  readonly trace_parent: string | null
  readonly actor: string | null
  readonly cause: string | null
  readonly execution_id: string | null
  readonly trace_id: string | null
  readonly span_id: string | null
  readonly attributes: string
}

/** The rows of a batch, each column a list: that is what PostgreSQL takes, and half as dear as rows on the way to the thread of SQLite. */
export type PlainRows = { readonly [Name in keyof PlainRow]: readonly PlainRow[Name][] }

export interface Inserted {
  /** When, by the database's time. */
  readonly at: number
  /** The key of each row, ascending in the order given. */
  readonly pks: readonly number[]
}

/** How a store writes what is submitted. */
export interface Writes {
  /** Makes plain jobs ready to be written, and gives what writes them: null when a name or an id was taken. */
  readonly insert: (rows: PlainRows) => () => Promise<Inserted | null>
  /** Writes anything. */
  readonly submit: () => Promise<readonly SubmitResult[]>
}

/** Writes a batch of plain jobs with `insert`, all else with `submit`. */
export async function submitPlain(
  submissions: readonly Submission[],
  { insert, submit }: Writes,
  turn?: Turn,
): Promise<readonly SubmitResult[]> {
  const drafts = submissions.map((submission) => plainDraft(submission))
  const isPlain = drafts.length > 0 && drafts.every((draft) => draft !== null)
  const write = isPlain ? insert(plainRows(drafts)) : null
  if (turn !== undefined) await turn.come
  const inserted = (await write?.()) ?? null
  if (!isPlain || inserted === null) {
    const results = await submit()
    turn?.over()
    return results
  }
  if (turn !== undefined) {
    turn.over()
    // The next is sent before the results of this one are made.
    await nextTurn()
  }
  return drafts.map((draft, i) => {
    return { outcome: 'created', stored: createdJob(draft, inserted.pks[i] ?? 0, inserted.at) }
  })
}

/** Null for what is not plain, and for what is wrong: `submit` says what it is. */
function plainDraft(submission: Submission): Draft | null {
  if (submission?.scheduledFor !== undefined || submission?.template !== undefined) return null
  if (submission?.group !== undefined) return null
  const draft = attempt(() => draftOf(submission, 0))
  if (draft instanceof StintError || draft.onConflict !== 'error' || draft.parent !== null) return null
  const { key, awaits, expiresAt, deadlineAt, templateId, scheduleId, retryOf, submittedBy, needs, rerun } = draft.spec
  if (draft.limits.length > 0) return null
  const rare = [key, awaits, expiresAt, deadlineAt, templateId, scheduleId, retryOf, submittedBy, needs, rerun]
  return rare.every((field) => field === null) ? draft : null
}

function plainRows(drafts: readonly Draft[]): PlainRows {
  const rows: { readonly [Name in keyof PlainRow]: PlainRow[Name][] } = {
    id: [],
    name: [],
    namespace: [],
    type: [],
    priority: [],
    labels: [],
    options: [],
    params_digest: [],
    params: [],
    timeout_ms: [],
    trace_parent: [],
    actor: [],
    cause: [],
    execution_id: [],
    trace_id: [],
    span_id: [],
    attributes: [],
  }
  for (const { spec, namespace, params, trace, context } of drafts) {
    rows.id.push(spec.id)
    rows.name.push(spec.name)
    rows.namespace.push(namespace)
    rows.type.push(spec.type)
    rows.priority.push(spec.priority)
    rows.labels.push(jsonOrNull(spec.labels))
    rows.options.push(optionsText(spec))
    rows.params_digest.push(spec.paramsDigest)
    rows.params.push(params)
    rows.timeout_ms.push(spec.timeoutMs)
    rows.trace_parent.push(trace)
    rows.actor.push(context.actor ?? null)
    rows.cause.push(context.cause ?? null)
    rows.execution_id.push(context.executionId ?? null)
    rows.trace_id.push(context.traceId ?? null)
    rows.span_id.push(context.spanId ?? null)
    rows.attributes.push(encodeCreated(spec, ofRow))
  }
  return rows
}

/** Its id, and its time, which is that of its writing, follow from its row. */
const ofRow: ReadonlySet<string> = new Set(['id', 'scheduledFor'])

/** What the decider's `submit` makes of a plain job: nothing is pending, nothing is replaced. */
function createdJob(draft: Draft, pk: number, at: number): StoredJob {
  const spec = { ...draft.spec, position: positionOf(pk), scheduledFor: at, replaces: null }
  const guard = { pk, revision: 1, released: false, namespace: draft.namespace }
  return { job: newJob(spec.id, spec, false, at), params: draft.params, result: null, trace: draft.trace, guard }
}
