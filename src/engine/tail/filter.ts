import type { LogEntry } from '../../store/store.ts'
import type { Scope } from '../scope/scope.ts'

/** An entry of the log on its way to those who listen. */
export interface TailedEntry {
  readonly entry: LogEntry
  readonly cursor: string
  /** The name of its job; null where nobody asked for it, or there is none. */
  readonly name: string | null
}

/** What somebody wants to hear of. Absent fields let everything through. */
export interface TailFilter {
  /** UUIDs of jobs. Whoever names them was found to see them. */
  readonly jobs?: readonly string[]
  /** Only what lies in one of these. */
  readonly branches?: readonly Scope[]
  /** Types of events, or beginnings of them with a `*` at the end. */
  readonly types?: readonly string[]
}

/** Whether the place of a job in the tree decides, so that its name must be known. */
export function needsNames({ jobs, branches }: TailFilter): boolean {
  return jobs === undefined && branches?.some(({ path }) => !path.isRoot) === true
}

export function matches({ jobs, branches, types }: TailFilter, tailed: TailedEntry): boolean {
  const { jobId, eventType } = tailed.entry
  if (jobs !== undefined && (jobId === null || !jobs.includes(jobId))) return false
  if (types !== undefined && !types.some((type) => isOfType(eventType, type))) return false
  return branches === undefined || branches.some((branch) => liesIn(branch, tailed, jobs !== undefined))
}

/** Whether a type is the one that is wanted, or begins like it where that ends with a `*`. */
export function isOfType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted
}

/** A namespace sees all of its own; below it the name of the job decides, or the path of what is described. */
function liesIn(
  branch: Scope,
  { entry: { namespace, jobId, attributes }, name }: TailedEntry,
  isJobKnown: boolean,
): boolean {
  // An event from outside may name a job of another namespace: it is seen where it was sent to.
  if (namespace !== branch.path.namespace) return false
  return isJobKnown || branch.path.isRoot || branch.covers(jobId === null ? attributes['path'] : name)
}
