import { useRef, useState } from 'react'

/** Tasks that are selected, by index. */
export interface TaskSelection {
  readonly indexes: ReadonlySet<number>
  /** These and no others. */
  set(indexes: Iterable<number>): void
  /** Only this one; the next range begins with it. */
  only(index: number): void
  /** This one too, or not any more; the next range begins with it. */
  toggle(index: number): void
  /** All from where the range begins to this one, too. */
  reach(index: number): void
}

export function useSelection(): TaskSelection {
  const [indexes, setIndexes] = useState<ReadonlySet<number>>(new Set())
  const anchor = useRef(0)
  return {
    indexes,
    set: (given) => setIndexes(new Set(given)),
    only: (index) => {
      anchor.current = index
      setIndexes(new Set([index]))
    },
    toggle: (index) => {
      anchor.current = index
      const next = new Set(indexes)
      if (!next.delete(index)) next.add(index)
      setIndexes(next)
    },
    reach: (index) => {
      const [from, to] = [Math.min(anchor.current, index), Math.max(anchor.current, index)]
      setIndexes(new Set([...indexes, ...Array.from({ length: to - from + 1 }, (_, i) => from + i)]))
    },
  }
}
