import type { Attempt } from './attempt.ts'

/**
 * The attempts that a worker has, in no order. A list in which each knows its place: through a map so many would pass that the old
 * tables it leaves behind, each of which leads to the next and to what was in it, keep attempts that are over alive for the collector.
 */
export class Held {
  readonly #attempts: Attempt[] = []

  get size(): number {
    return this.#attempts.length
  }

  /** As they are now; what is added or removed later is not in it. */
  get all(): readonly Attempt[] {
    return [...this.#attempts]
  }

  add(attempt: Attempt): void {
    attempt.place = this.#attempts.push(attempt) - 1
  }

  has({ place }: Attempt): boolean {
    return place !== null
  }

  some(is: (attempt: Attempt) => boolean): boolean {
    return this.#attempts.some(is)
  }

  /** The last one takes its place. */
  remove(attempt: Attempt): void {
    const { place } = attempt
    const last = this.#attempts.at(-1)
    if (place === null || last === undefined) return
    this.#attempts[place] = last
    last.place = place
    attempt.place = null
    this.#attempts.pop()
  }
}
