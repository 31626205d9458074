import type { Fire, Fires } from '../../src/store/fires.ts'
import type { ModelData } from './model-data.ts'

/** The fires of the model. */
export class ModelFires implements Fires {
  readonly #data: ModelData

  constructor(data: ModelData) {
    this.#data = data
  }

  add(schedule: number, at: number): boolean {
    const key = `${schedule} ${at}`
    if (this.#data.fires.has(key)) return false
    this.#data.fires.set(key, null)
    return true
  }

  setJob(schedule: number, at: number, job: number): void {
    this.#data.fires.set(`${schedule} ${at}`, job)
  }

  at(schedule: number, instants: readonly number[]): readonly Fire[] {
    const found = instants.filter((at) => this.#data.fires.has(`${schedule} ${at}`)).sort((a, b) => a - b)
    return found.map((at) => ({ at, job: this.#data.fires.get(`${schedule} ${at}`) ?? null }))
  }
}
