import { StintError } from '../../core/errors.ts'
import type { SseStream } from './sse-stream.ts'

/** How many clients may listen at once: each holds a connection and memory for as long as it likes. */
export class Streams {
  readonly #max: number
  #open = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Counts one until it is over, or refuses and ends it. */
  enter(stream: SseStream): void {
    if (this.#open >= this.#max) {
      stream.end()
      const rule = `at most ${this.#max} streams at once`
      throw new StintError('too_many_requests', `Too many streams: ${rule}.`, { rule, retryAfter: 1 })
    }
    this.#open += 1
    stream.over.addEventListener('abort', () => {
      this.#open -= 1
    })
  }
}
