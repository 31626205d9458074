import { checkNow } from '../check-input.ts'
import { checkClaim } from '../claim-request.ts'
import { completeRows } from '../completion.ts'
import { type Inserted, submitPlain, type Writes } from '../plain-submission.ts'
import type { Completed, Store, SubmitResult } from '../store.ts'
import { Thread, threadFile } from '../thread/thread.ts'
import { type Claimed, claimedJobs } from './claimed.ts'

export interface SqliteOptions {
  /** Path of the database file, or `:memory:` for a database that ends with the store. */
  readonly file: string
}

type Forwarded = Exclude<
  keyof Store,
  'kind' | 'submit' | 'claim' | 'complete' | 'close' | 'heartbeat' | 'watch' | 'submitWithin' | 'heldBack'
>

/** So many rows are worth a message of their own. */
const manyRows = 16

/** A record and not a list: a method of the port that is missing here does not compile. */
const forwarded: Readonly<Record<Forwarded, true>> = {
  now: true,
  apply: true,
  append: true,
  find: true,
  past: true,
  runs: true,
  events: true,
  logEnd: true,
  list: true,
  tree: true,
  depths: true,
  register: true,
  renew: true,
  retire: true,
  buryLost: true,
  workers: true,
  held: true,
  orphans: true,
  overdue: true,
  cancelBranch: true,
  followUp: true,
  move: true,
  queue: true,
  setLimit: true,
  removeLimit: true,
  limits: true,
  pause: true,
  resume: true,
  pauses: true,
  gates: true,
  control: true,
  report: true,
  notes: true,
  logs: true,
  audit: true,
}

/**
 * Opens a store whose database is held by a thread of its own. On the thread of the program, a handler that computes for
 * a minute could hold the file's write lock for as long, and nobody could renew the lease of its worker.
 */
export async function openSqliteStore({ file }: SqliteOptions): Promise<Store> {
  const thread = await Thread.start(threadFile('sqlite-thread', import.meta.url), { file })
  const methods = Object.keys(forwarded).map((method) => {
    return [method, (...args: readonly unknown[]) => thread.call(method, args)]
  })
  const send = (method: string, rows: object, count: number, options: { readonly now: number | undefined }) => {
    return count < manyRows ? thread.call(method, [rows, options]) : thread.callNow(method, [rows, options])
  }
  return {
    ...(Object.fromEntries(methods) as Pick<Store, Forwarded>),
    kind: 'sqlite',
    submit: async (submissions, { now, turn } = {}) => {
      checkNow(now)
      const writes: Writes = {
        insert: (rows) => async () => (await send('insertPlain', rows, rows.id.length, { now })) as Inserted | null,
        submit: async () => (await thread.call('submitAny', [submissions, { now }])) as readonly SubmitResult[],
      }
      return await submitPlain(submissions, writes, turn)
    },
    claim: async (request) => {
      const checked = checkClaim(request)
      return claimedJobs((await thread.callNow('claimRows', [checked])) as Claimed, checked)
    },
    complete: (completions, options = {}) =>
      completeRows(completions, options, async (rows, at) => {
        return (await send('completeRows', rows, rows.length, { now: at.now })) as Completed
      }),
    heartbeat: (request, onBeat) =>
      thread.listen('heartbeat', request, {
        onSignal: (alive) => onBeat(alive === true),
        onLost: () => onBeat(false),
      }),
    watch: (onChange) => thread.listen('watch', null, { onSignal: onChange, onLost: () => {} }),
    close: () => thread.close(),
  }
}
