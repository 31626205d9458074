export interface Scheduled {
  readonly time: number
  /** Drawn from the seed: what is due at the same time happens in any order, another one for each seed. */
  readonly tie: number
  readonly sequence: number
  readonly label: string
  /** Null once it was cancelled. */
  run: (() => void) | null
}

/** A binary heap, earliest first. */
export class EventHeap {
  readonly #items: Scheduled[] = []

  push(item: Scheduled): void {
    const items = this.#items
    let at = items.length
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = items[above] as Scheduled
      if (!isBefore(item, parent)) break
      items[at] = parent
      at = above
    }
    items[at] = item
  }

  peek(): Scheduled | undefined {
    return this.#items[0]
  }

  pop(): Scheduled | undefined {
    const [first] = this.#items
    const last = this.#items.pop()
    if (last !== undefined && last !== first) this.#sink(last)
    return first
  }

  #sink(item: Scheduled): void {
    const items = this.#items
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const right = left + 1
      if (left >= items.length) break
      const isRight = right < items.length && isBefore(items[right] as Scheduled, items[left] as Scheduled)
      const below = isRight ? right : left
      if (!isBefore(items[below] as Scheduled, item)) break
      items[at] = items[below] as Scheduled
      at = below
    }
    items[at] = item
  }
}

function isBefore(a: Scheduled, b: Scheduled): boolean {
  return (a.time - b.time || a.tie - b.tie || a.sequence - b.sequence) < 0
}
