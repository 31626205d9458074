import { type Stretch, type Walk, type WalkKind, type Walks, walkBeginning } from '../../src/store/retention/walks.ts'
import type { ModelData } from './model-data.ts'

/** The walks of the model. Its transactions are alone, so everything can be held. */
export class ModelWalks implements Walks {
  readonly #data: ModelData
  readonly #now: number

  constructor(data: ModelData, now: number) {
    this.#data = data
    this.#now = now
  }

  hold(kind: WalkKind): Walk {
    return this.#data.walks.get(kind) ?? { kind, front: walkBeginning, reviewAfter: 0, shortestMs: null }
  }

  save(walk: Walk): void {
    this.#data.walks.set(walk.kind, walk)
  }

  review(): void {
    for (const walk of this.#data.walks.values()) this.save({ ...walk, reviewAfter: 0 })
  }

  due(kind: WalkKind): Stretch | null {
    const due = this.#of(kind).filter(({ dueAt }) => dueAt !== null && dueAt <= this.#now)
    return due.sort((a, b) => Number(a.dueAt) - Number(b.dueAt) || a.pk - b.pk)[0] ?? null
  }

  get(kind: WalkKind, pk: number): Stretch | null {
    return this.#of(kind).find((stretch) => stretch.pk === pk) ?? null
  }

  add(stretch: Omit<Stretch, 'pk'>): Stretch {
    const pk = (this.#data.counters.get('stretch') ?? 0) + 1
    this.#data.counters.set('stretch', pk)
    this.#data.stretches.set(pk, { pk, ...stretch })
    return { pk, ...stretch }
  }

  setDue(pk: number, dueAt: number | null): void {
    const stretch = this.#data.stretches.get(pk)
    if (stretch !== undefined) this.#data.stretches.set(pk, { ...stretch, dueAt })
  }

  remove(pk: number): void {
    this.#data.stretches.delete(pk)
  }

  makeDue(kind: WalkKind, after: number, limit: number): number | null {
    const keys = this.#of(kind).map(({ pk }) => pk)
    const page = keys
      .filter((pk) => pk > after)
      .sort((a, b) => a - b)
      .slice(0, limit)
    for (const pk of page) this.setDue(pk, 0)
    return page.length < limit ? null : (page.at(-1) ?? null)
  }

  #of(kind: WalkKind): Stretch[] {
    return this.#data.stretches.values().filter((stretch) => stretch.kind === kind)
  }
}
