import { hostname } from 'node:os'
import { StintError, show } from '../../core/errors.ts'
import { checkPaths } from '../../store/check-gates.ts'
import { checkInteger, checkText } from '../../store/check-input.ts'
import type { AnyJob } from '../handler.ts'

export interface WorkerOptions {
  /** The types of jobs that this worker runs. Jobs of other types are left for workers that know them. */
  readonly jobs: readonly AnyJob[]
  /** The branches that this worker is bound to: it takes only jobs at or below these names. Default all. */
  readonly paths?: readonly string[]
  /**
   * `none`: strictly by priority, position and age, whoever's jobs they are. `namespace`: namespaces, the first parts of names,
   * take turns, and the order holds within each: however many jobs one has, they do not delay another's first. Default `none`.
   */
  readonly fairness?: 'none' | 'namespace'
  /** How many handlers run at once. Default 10. */
  readonly concurrency?: number
  /** A label for people. Default the name of the host. */
  readonly name?: string
  /** How long the worker counts as alive without a sign of life, in milliseconds. Default 30,000. */
  readonly leaseMs?: number
  /** How often to look for work when nothing says that there is some, in milliseconds. Default 1,000. */
  readonly pollMs?: number
  /** The most jobs that may wait in this process for a free slot. 0 takes only what can start at once. Default 2,000. */
  readonly prefetchMax?: number
  /** How long a handler has to stop after it was told to, in milliseconds. Default 10,000. */
  readonly cancelGraceMs?: number
  /** How often to look after lost workers, deadlines and the like, in milliseconds. Default 1,000. */
  readonly upkeepMs?: number
  /** Where the files of runs are kept. Default `.stint/artifacts`. */
  readonly artifactsDirectory?: string
}

/** The options with everything filled in. */
export interface WorkerSettings extends Required<Omit<WorkerOptions, 'jobs' | 'paths'>> {
  readonly jobs: ReadonlyMap<string, AnyJob>
  /** Null for all. */
  readonly paths: readonly string[] | null
  readonly types: readonly string[]
}

const dayMs = 86_400_000

export function workerSettings(options: WorkerOptions): WorkerSettings {
  const jobs = new Map<string, AnyJob>()
  if (!Array.isArray(options?.jobs)) throw refuse('jobs', options?.jobs, 'must be an array of job definitions')
  for (const job of options.jobs as readonly AnyJob[]) {
    if (typeof job?.run !== 'function') throw refuse('jobs', job, 'must hold definitions made by defineJob')
    if (jobs.has(job.type)) throw refuse('jobs', job.type, 'must not hold two definitions of one type')
    jobs.set(job.type, job)
  }
  const integer = (name: keyof WorkerOptions, fallback: number, min: number, max: number) => {
    return checkInteger(options[name] ?? fallback, name, min, max)
  }
  return Object.freeze({
    jobs,
    types: [...jobs.keys()],
    paths: checkPaths(options.paths),
    fairness: checkFairness(options.fairness ?? 'none'),
    concurrency: integer('concurrency', 10, 1, 10_000),
    name: checkText(options.name ?? hostname(), 'name', 255),
    leaseMs: integer('leaseMs', 30_000, 100, dayMs),
    pollMs: integer('pollMs', 1_000, 1, dayMs),
    prefetchMax: integer('prefetchMax', 2_000, 0, 9_000),
    cancelGraceMs: integer('cancelGraceMs', 10_000, 0, dayMs),
    upkeepMs: integer('upkeepMs', 1_000, 10, dayMs),
    artifactsDirectory: checkText(options.artifactsDirectory ?? '.stint/artifacts', 'artifactsDirectory', 4_096),
  })
}

function checkFairness(value: unknown): WorkerSettings['fairness'] {
  if (value === 'none' || value === 'namespace') return value
  throw refuse('fairness', value, 'must be none or namespace')
}

function refuse(field: string, value: unknown, rule: string): StintError {
  return new StintError('invalid_argument', `${field} ${rule}; got ${show(value)}.`, { field, rule })
}
