import { describe, expect, it } from 'vitest'
import { Attempt } from '../../../src/engine/worker/attempt.ts'
import { Slots } from '../../../src/engine/worker/slots.ts'
import type { StoredJob } from '../../../src/store/store.ts'

function setup(concurrency: number, prefetchMax = 1_000, fairness: 'none' | 'namespace' = 'none') {
  const time = { ms: 1_000 }
  const clock = { monotonic: () => time.ms } as ConstructorParameters<typeof Slots>[0]
  const slots = new Slots(clock, { concurrency, prefetchMax, fairness })
  const attempt = (suspect = false, priority = 0, position = 0) => {
    return new Attempt({ job: { id: 'x', suspect, priority, position }, guard: { pk: 1 } } as StoredJob, 't', 0)
  }
  /** Takes so many and starts what can start. */
  const add = (count: number) => {
    slots.add(Array.from({ length: count }, () => attempt()))
    while (slots.take() !== null);
  }
  return { time, slots, attempt, add }
}

describe('slots', () => {
  it('take no more than can start at once, at first and after long jobs', () => {
    const { time, slots, add } = setup(3)
    expect(slots.room()).toBe(3)
    add(3)
    expect(slots.room()).toBe(0)
    time.ms += 10_000
    for (let i = 0; i < 3; i++) slots.leave()
    expect(slots.room()).toBe(3)
  })

  it('take as many ahead as short jobs end, up to the limit, and none when they have become long', () => {
    const { time, slots, add } = setup(1, 20)
    for (let i = 0; i < 11; i++) {
      add(1)
      slots.leave()
    }
    expect(slots.room()).toBe(11)
    add(11)
    expect([slots.running, slots.waiting.length, slots.room()]).toEqual([1, 10, 0])
    time.ms += 1_000
    expect(slots.room()).toBe(0)
    for (let i = 0; i < 50; i++) {
      add(1)
      slots.leave()
    }
    expect(slots.room() + slots.running + slots.waiting.length).toBeLessThanOrEqual(21)
  })

  it('let a suspect begin before all others', () => {
    const { slots, attempt } = setup(1)
    const [plain, suspect] = [attempt(), attempt(true)]
    slots.add([plain, suspect])
    expect(slots.take()).toBe(suspect)
    expect(slots.take()).toBeNull()
    expect(slots.remove(plain)).toBe(true)
    expect(slots.remove(plain)).toBe(false)
  })

  it('begin as they came where namespaces take turns, but for suspects', () => {
    const { slots, attempt } = setup(1, 1_000, 'namespace')
    const waiting = [attempt(false, 0, 500), attempt(false, 9, 900), attempt(false, 0, 100)]
    const suspect = attempt(true, 0, 700)
    slots.add([attempt()])
    slots.take()
    slots.add(waiting.slice(0, 2))
    slots.add(waiting.slice(2))
    slots.add([suspect])
    const taken = [suspect, ...waiting].map(() => {
      slots.leave()
      return slots.take()
    })
    expect(taken).toEqual([suspect, ...waiting])
  })

  it('begin in the order of the queue, also what a later claim brings', () => {
    const { slots, attempt } = setup(1)
    const [third, first, second] = [attempt(false, 0, 500), attempt(false, 9, 900), attempt(false, 0, 100)]
    slots.add([attempt()])
    slots.take()
    slots.add([third])
    slots.add([first, second])
    const taken = [first, second, third].map(() => {
      slots.leave()
      return slots.take()
    })
    expect(taken).toEqual([first, second, third])
  })
})
