import { describe, expect, it } from 'vitest'
import { Kernel } from './kernel.ts'
import { Random } from './random.ts'
import { Incarnation } from './virtual-clock.ts'

const end = Number.MAX_SAFE_INTEGER

/** A few processes that sleep and draw for a while; tells what happened. */
async function wander(seed: number) {
  const kernel = new Kernel(seed)
  const seen: string[] = []
  for (const name of ['a', 'b', 'c']) {
    const process = new Incarnation(kernel, name)
    const random = kernel.random.fork(name)
    process.start(async () => {
      for (let i = 0; i < 50; i++) {
        await process.clock.sleep(random.between(0, 3))
        seen.push(`${name}${i}`)
      }
    })
  }
  await kernel.run({ until: end })
  return { hash: kernel.hash, seen: seen.join(' '), steps: kernel.steps }
}

describe('a seed', () => {
  it('gives the same run every time', async () => {
    expect(await wander(7)).toEqual(await wander(7))
  })

  it('gives another run than other seeds', async () => {
    const runs = await Promise.all(Array.from({ length: 50 }, (_, seed) => wander(seed)))
    expect(new Set(runs.map(({ hash }) => hash)).size).toBe(50)
    expect(new Set(runs.map(({ seen }) => seen)).size).toBe(50)
  })

  it('decides the order of what is due at the same time', async () => {
    const orders = new Set<string>()
    for (let seed = 0; seed < 40; seed++) {
      const kernel = new Kernel(seed)
      const order: number[] = []
      for (const i of [1, 2, 3]) kernel.after(5, `event ${i}`, () => order.push(i))
      await kernel.run({ until: end })
      orders.add(order.join(''))
    }
    expect(orders.size).toBe(6)
  })

  it('gives each part numbers that do not depend on what the others draw', () => {
    const [one, other] = [new Random(3), new Random(3)]
    one.u32()
    expect(one.fork('x').u32()).toBe(other.fork('x').u32())
    expect(one.fork('x').u32()).not.toBe(other.fork('y').u32())
  })

  it('gives numbers that are spread evenly', () => {
    const random = new Random(1)
    const counts = new Map<number, number>()
    const count = (value: number) => counts.set(value, (counts.get(value) ?? 0) + 1)
    for (let i = 0; i < 8_000; i++) count(random.between(0, 3))
    for (let i = 0; i < 8_000; i++) if (random.chance(0.25)) count(4)
    expect([...counts.keys()].sort()).toEqual([0, 1, 2, 3, 4])
    for (const hits of counts.values()) expect(Math.abs(hits - 2_000)).toBeLessThan(200)
    expect(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c'])))).toEqual(new Set(['a', 'b', 'c']))
  })
})

describe('an event', () => {
  it('happens in order of time, and not when it was cancelled', async () => {
    const kernel = new Kernel(1)
    const random = kernel.random.fork('test')
    const times: number[] = []
    for (let i = 0; i < 500; i++) {
      const cancel = kernel.after(random.between(0, 100), 'tick', () => times.push(kernel.now))
      if (i % 5 === 0) cancel()
    }
    await kernel.run({ until: end })
    expect(times).toHaveLength(400)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(kernel.steps).toBe(400)
  })

  it('is over, with all that follows from it in promises, before invariants are looked at', async () => {
    const kernel = new Kernel(1)
    let following = 0
    const follow = async () => {
      for (let i = 0; i < 1_000; i++) await Promise.resolve()
      following -= 1
    }
    for (let i = 0; i < 20; i++) {
      kernel.after(i, 'work', () => {
        following += 1
        follow().catch((error: unknown) => kernel.fail(error))
      })
    }
    const open: number[] = []
    await kernel.run({ until: end, onStep: () => void open.push(following) })
    expect(open).toEqual(Array.from({ length: 20 }, () => 0))
  })

  it('waits for work that is held, however many turns of the event loop that takes', async () => {
    const kernel = new Kernel(1)
    const seen: string[] = []
    const slow = async () => {
      for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve))
      seen.push('slow')
    }
    kernel.after(1, 'slow', () => void kernel.hold(slow()).catch((error: unknown) => kernel.fail(error)))
    kernel.after(2, 'next', () => seen.push('next'))
    await kernel.run({ until: end })
    expect(seen).toEqual(['slow', 'next'])
  })

  it('beyond the limit of time stays for the next run', async () => {
    const kernel = new Kernel(1, 0)
    const seen: number[] = []
    for (const ms of [5, 10, 11]) kernel.after(ms, 'tick', () => seen.push(ms))
    await kernel.run({ until: 10 })
    expect([seen, kernel.now]).toEqual([[5, 10], 10])
    await kernel.run({ until: 20 })
    expect(seen).toEqual([5, 10, 11])
  })

  it('that follows itself without any time ends the run instead of going on for ever', async () => {
    const kernel = new Kernel(1)
    const process = new Incarnation(kernel, 'p')
    process.start(async () => {
      for (;;) await process.clock.sleep(0)
    })
    await expect(kernel.run({ until: end })).rejects.toThrow(/Time stands still at \d+: p wakes/)
  })

  it('that breaks an invariant or fails in a process ends the run with that error', async () => {
    const broken = new Kernel(1)
    broken.after(1, 'bad', () => {})
    const onStep = (label: string) => {
      if (label === 'bad') throw new Error('broken invariant')
    }
    await expect(broken.run({ until: end, onStep })).rejects.toThrow('broken invariant')
    expect(broken.tail.at(-1)).toMatch(/ bad$/)

    const kernel = new Kernel(1)
    new Incarnation(kernel, 'p').start(() => Promise.reject(new Error('not handled')))
    await expect(kernel.run({ until: end })).rejects.toThrow('not handled')
  })
})
