import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Batcher, type BatcherOptions } from '../../src/engine/batcher.ts'
import { systemClock } from '../../src/engine/clock.ts'

/** A batcher whose batches end when they are told to, and what it has sent and answered, in the order of its doing. */
function setup(options: Partial<BatcherOptions<number, number>> = {}) {
  const done: string[] = []
  const ends: (() => void)[] = []
  const batcher = new Batcher<number, number>({
    clock: systemClock,
    batchMax: 1_000,
    inFlightMax: 2,
    run: (items) => {
      done.push(`sent ${items.join(' ')}`)
      return new Promise((resolve) => ends.push(() => resolve(items)))
    },
    ...options,
  })
  const add = (...items: readonly number[]) => {
    for (const item of items) void batcher.add(item).then((answer) => done.push(`answered ${answer}`))
  }
  const end = async (nth: number) => {
    ends[nth]?.()
    await nextTurn()
    await nextTurn()
  }
  return { add, end, done }
}

/** Longer than a batch waits for those made in the same turn. */
async function turns(): Promise<void> {
  for (let i = 0; i < 3; i++) await nextTurn()
}

describe('a batcher', () => {
  it('sends together what is made in one turn, and as many batches beside each other as may be', async () => {
    const { add, done } = setup()
    add(1, 2)
    await turns()
    add(3)
    await turns()
    add(4)
    await turns()
    expect(done).toEqual(['sent 1 2', 'sent 3'])
  })

  it('sends what has gathered when a batch ends', async () => {
    const { add, end, done } = setup({ inFlightMax: 1 })
    add(1)
    await turns()
    add(2)
    await turns()
    add(3)
    await end(0)
    expect(done).toEqual(['sent 1', 'answered 1', 'sent 2 3'])
  })
})

describe('a batcher with a fair share', () => {
  const fairShare = 1 / 3

  it('lets a few wait beside many, until those end', async () => {
    const { add, end, done } = setup({ fairShare })
    add(1, 2, 3, 4, 5)
    await turns()
    add(6, 7)
    await turns()
    expect(done).toEqual(['sent 1 2 3 4 5'])
    await end(0)
    // They are on their way before anybody is told of the others.
    expect(done).toEqual(['sent 1 2 3 4 5', 'sent 6 7', ...[1, 2, 3, 4, 5].map((item) => `answered ${item}`)])
  })

  it('sends those who waited as soon as they are enough', async () => {
    const { add, done } = setup({ fairShare })
    add(1, 2, 3, 4)
    await turns()
    add(5)
    await turns()
    expect(done).toEqual(['sent 1 2 3 4'])
    add(6)
    await turns()
    expect(done).toEqual(['sent 1 2 3 4', 'sent 5 6'])
  })

  it('lets nobody wait for nothing', async () => {
    const { add, end, done } = setup({ fairShare })
    add(1)
    await turns()
    add(2)
    await turns()
    expect(done).toEqual(['sent 1', 'sent 2'])
    await end(1)
    add(3)
    await turns()
    expect(done).toEqual(['sent 1', 'sent 2', 'answered 2', 'sent 3'])
  })
})
