import { JobName } from '../names/job-name.ts'
import { type LimitState, roomOf } from './limit.ts'

/** A branch whose jobs must not start. */
export interface PausedPath {
  readonly id: number
  readonly path: string
}

/** A job that asks to start. */
export interface Candidate {
  readonly name: string
  /** The keys of limits that it has of its own. */
  readonly limits: readonly string[]
}

/** Whether a job may start: with the limits that it then holds, or what shuts it out. */
export type Verdict =
  | { readonly pass: true; readonly limits: readonly LimitState[] }
  | { readonly pass: false; readonly pause: PausedPath }
  | { readonly pass: false; readonly limit: LimitState }

/**
 * Lets jobs start, one after the other in their order, as far as pauses and limits allow. Each that passes takes of its
 * limits what is then missing for the next: so a batch never takes more than there is.
 */
export class Gatekeeper {
  readonly #pauses: readonly (PausedPath & { readonly branch: JobName })[]
  readonly #paths: readonly { readonly key: string; readonly branch: JobName }[]
  readonly #limits: Map<string, LimitState>

  /** `limits` holds all that the candidates can meet, by key. */
  constructor(pauses: readonly PausedPath[], limits: readonly LimitState[]) {
    this.#pauses = pauses.map((pause) => ({ ...pause, branch: JobName.parse(pause.path) }))
    this.#limits = new Map(limits.map((limit) => [limit.key, limit]))
    this.#paths = limits
      .filter(({ key }) => key.startsWith('/'))
      .map(({ key }) => ({ key, branch: JobName.parse(key) }))
  }

  judge({ name, limits }: Candidate): Verdict {
    const own = JobName.parse(name)
    const pause = this.#pauses.find(({ branch }) => branch.isAncestorOf(own))
    if (pause !== undefined) return { pass: false, pause: { id: pause.id, path: pause.path } }
    const met = this.limitsOf({ name, limits })
    const full = met.find((limit) => roomOf(limit) === 0)
    if (full !== undefined) return { pass: false, limit: full }
    for (const limit of met) {
      this.#limits.set(limit.key, { ...limit, held: limit.held + 1, started: limit.started + 1 })
    }
    return { pass: true, limits: met }
  }

  /** The limits that a job meets, as they are by now, in the order of their keys. */
  limitsOf({ name, limits }: Candidate): readonly LimitState[] {
    const own = JobName.parse(name)
    const paths = this.#paths.filter(({ branch }) => branch.isAncestorOf(own)).map(({ key }) => key)
    return [...new Set([...limits, ...paths])].sort().flatMap((key) => this.#limits.get(key) ?? [])
  }
}
