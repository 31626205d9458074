import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CheckedClaim } from '../claim-request.ts'
import { sortedTaken } from './claim.ts'
import { isRetryable, lockTimeoutState, takenState } from './database.ts'
import type { Both, Taken } from './start-attempts.ts'

/** A claim that goes with something else, and who waits for it. */
interface StandingClaim {
  readonly request: CheckedClaim
  readonly resolve: (taken: Taken) => void
  readonly reject: (error: unknown) => void
}

/** What is about to be sent: the types of the jobs that it makes ready, and the claim that goes with it. */
interface Gathering {
  readonly types: ReadonlySet<string>
  standing: StandingClaim | null
}

/**
 * Brings what makes jobs ready together with claims of idle workers in the same process, which are told of it before it is sent: what
 * is claimed in the turn of the event loop in which it is to be sent goes to the server with it.
 */
export class JoinedClaims {
  readonly #claim: (request: CheckedClaim) => Promise<Taken>
  /** Types that somebody here has claimed: nobody else need wait for a claim. */
  readonly #types = new Set<string>()
  readonly #gatherings = new Set<Gathering>()

  /** `claim` is for a claim that could not go with anything. */
  constructor(claim: (request: CheckedClaim) => Promise<Taken>) {
    this.#claim = claim
  }

  /** Null when nothing of its types is about to be sent, or another claim goes with it. */
  join(request: CheckedClaim): Promise<Taken> | null {
    for (const type of request.types) this.#types.add(type)
    for (const gathering of this.#gatherings) {
      if (gathering.standing !== null || !request.types.some((type) => gathering.types.has(type))) continue
      return new Promise((resolve, reject) => {
        gathering.standing = { request, resolve, reject }
      })
    }
    return null
  }

  /**
   * Makes jobs of these types ready: with the claim of a worker that waits for such, in one transaction, or alone. What does both gives
   * null when it did nothing, because more has to be done than it can; then, and when somebody else is in the way, both are done alone.
   */
  async carry<Result>(
    types: readonly string[],
    both: (request: CheckedClaim) => Promise<Both<Result> | null>,
    alone: () => Promise<Result>,
  ): Promise<Result> {
    const standing = await this.#gather(types)
    if (standing === null) return await alone()
    const { request, resolve, reject } = standing
    try {
      const done = await both(request)
      if (done !== null) {
        const { result, taken } = done
        if (taken instanceof Error) reject(taken)
        else resolve(sortedTaken(taken))
        return result
      }
    } catch (error) {
      if (!isRetryable(error, [takenState, lockTimeoutState])) {
        reject(error)
        throw error
      }
    }
    void this.#claim(request).then(resolve, reject)
    return await alone()
  }

  async #gather(types: readonly string[]): Promise<StandingClaim | null> {
    if (!types.some((type) => this.#types.has(type))) return null
    const gathering: Gathering = { types: new Set(types), standing: null }
    this.#gatherings.add(gathering)
    await nextTurn()
    this.#gatherings.delete(gathering)
    return gathering.standing
  }
}
