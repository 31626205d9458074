import { StintError } from '../../core/errors.ts'

/** How many clients may listen at once: each holds a connection and memory for as long as it likes. */
export class Streams {
  readonly #max: number
  #open = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one until it is over, or refuses it. */
  enter(over: AbortSignal): void {
    if (this.#open >= this.#max) {
      const rule = `at most ${this.#max} streams at once`
      throw new StintError('too_many_requests', `Too many streams: ${rule}.`, { rule, retryAfter: 1 })
    }
    this.#open += 1
    over.addEventListener('abort', () => {
      this.#open -= 1
    })
  }
}
