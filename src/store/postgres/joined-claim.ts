import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CheckedClaim } from '../claim-request.ts'
import type { Taken } from './start-attempts.ts'

/** A claim that goes with a submission, and who waits for it. */
export interface StandingClaim {
  readonly request: CheckedClaim
  readonly resolve: (taken: Taken) => void
  readonly reject: (error: unknown) => void
}

/**
 * Brings submissions together with claims of idle workers in the same process, which are told of a submission before it is sent: what
 * is claimed in the turn of the event loop in which a submission is made goes to the server with it.
 */
export class JoinedClaims {
  /** Types that somebody here has claimed: nobody else need wait for a claim. */
  readonly #types = new Set<string>()
  #gathering = 0
  #standing: StandingClaim | null = null

  /** A submission of such jobs is about to be sent: the claim that came until then, or null. */
  async gather(jobs: readonly { readonly type: string }[]): Promise<StandingClaim | null> {
    if (!jobs.some(({ type }) => this.#types.has(type))) return null
    this.#gathering += 1
    await nextTurn()
    this.#gathering -= 1
    const standing = this.#standing
    this.#standing = null
    return standing
  }

  /** Null when no submission is about to be sent, or another claim goes with it. */
  join(request: CheckedClaim): Promise<Taken> | null {
    for (const type of request.types) this.#types.add(type)
    if (this.#gathering === 0 || this.#standing !== null) return null
    return new Promise((resolve, reject) => {
      this.#standing = { request, resolve, reject }
    })
  }
}
