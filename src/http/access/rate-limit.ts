import { StintError } from '../../core/errors.ts'

interface Bucket {
  left: number
  at: number
}

/** More than that are forgotten: whoever comes back has a full bucket, which they would soon have had anyway. */
const bucketMax = 10_000

/** How many requests somebody may make: so many a second, and as many at once. */
export class RateLimit {
  readonly #perSecond: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** Counts one, or refuses it. */
  take(who: string, now: number = performance.now()): void {
    const bucket = this.#bucketOf(who, now)
    bucket.left = Math.min(this.#perSecond, bucket.left + ((now - bucket.at) / 1_000) * this.#perSecond)
    bucket.at = now
    if (bucket.left < 1) {
      const rule = `at most ${this.#perSecond} requests a second`
      throw new StintError('too_many_requests', `Too many requests: ${rule}.`, { rule, retryAfter: 1 })
    }
    bucket.left -= 1
  }

  #bucketOf(who: string, now: number): Bucket {
    const known = this.#buckets.get(who)
    if (known !== undefined) return known
    if (this.#buckets.size >= bucketMax) this.#buckets.clear()
    const bucket = { left: this.#perSecond, at: now }
    this.#buckets.set(who, bucket)
    return bucket
  }
}
