import type { Answer, Answers } from '../../src/store/answers/answers.ts'
import type { ModelData } from './model-data.ts'

/** The answers of the model. */
export class ModelAnswers implements Answers {
  readonly #data: ModelData

  constructor(data: ModelData) {
    this.#data = data
  }

  hold(answer: Answer): Answer | null {
    const known = this.#data.answers.get(answer.id)
    if (known === undefined) this.write(answer)
    return known ?? null
  }

  write(answer: Answer): void {
    this.#data.answers.set(answer.id, answer)
  }

  remove(id: string): void {
    this.#data.answers.delete(id)
  }

  sweep(now: number): void {
    const old = [...this.#data.answers.values()].filter(({ expiresAt }) => expiresAt < now)
    for (const { id } of old.slice(0, 10)) this.remove(id)
  }
}
