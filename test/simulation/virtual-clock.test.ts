import { describe, expect, it } from 'vitest'
import { Kernel } from './kernel.ts'
import { Incarnation } from './virtual-clock.ts'

const end = Number.MAX_SAFE_INTEGER

function world() {
  const kernel = new Kernel(1, 1_000)
  const process = new Incarnation(kernel, 'p')
  const seen: string[] = []
  const see = (what: string) => seen.push(`${what} at ${kernel.now}`)
  return { kernel, process, seen, see }
}

describe('the clock of a process', () => {
  it('goes with virtual time, and its wall clock may be wrong', async () => {
    const { kernel, process } = world()
    process.skewMs = -300
    const read: number[] = []
    process.start(async () => {
      read.push(process.clock.now(), process.clock.monotonic())
      await process.clock.sleep(50.2)
      process.skewMs = 5_000
      read.push(process.clock.now(), process.clock.monotonic())
    })
    await kernel.run({ until: end })
    expect(read).toEqual([700, 0, 6_051, 51])
  })

  it('ends a sleep early when its signal aborts, at once when it has aborted already', async () => {
    const { kernel, process, seen, see } = world()
    const stop = new AbortController()
    process.start(async () => {
      await process.clock.sleep(10_000, stop.signal)
      see('woken')
      await process.clock.sleep(10_000, stop.signal)
      see('awake')
      await process.clock.sleep(20, new AbortController().signal)
      see('slept')
    })
    kernel.after(30, 'stop', () => stop.abort())
    await kernel.run({ until: end })
    expect(seen).toEqual(['woken at 1030', 'awake at 1030', 'slept at 1050'])
  })

  it('gives a turn to what else is due at this moment, and no time passes', async () => {
    const { kernel, process, seen, see } = world()
    process.start(async () => {
      const turns = ['a', 'b'].map(async (name) => {
        await process.clock.turn()
        see(name)
      })
      see('begun')
      await Promise.all(turns)
    })
    await kernel.run({ until: end })
    expect([seen[0], ...seen.slice(1).toSorted()]).toEqual(['begun at 1000', 'a at 1000', 'b at 1000'])
  })

  it('never wakes for a sleep without an end', async () => {
    const { kernel, process, see, seen } = world()
    process.start(async () => {
      await process.clock.sleep(Number.POSITIVE_INFINITY)
      see('woken')
    })
    await kernel.run({ until: end })
    expect(seen).toEqual([])
  })
})

describe('a process', () => {
  it('that was killed never goes on, nor by its signal, nor by a resume', async () => {
    const { kernel, process, seen, see } = world()
    const stop = new AbortController()
    const sleeper = (ms: number, signal?: AbortSignal) => async () => {
      see(`sleeps ${ms}`)
      await process.clock.sleep(ms, signal)
      see(`woken ${ms}`)
    }
    process.start(sleeper(10))
    process.start(sleeper(50))
    process.start(sleeper(500, stop.signal))
    kernel.after(30, 'kill', () => process.kill())
    kernel.after(40, 'stop', () => stop.abort())
    kernel.after(60, 'resume', () => process.resume())
    await kernel.run({ until: end })
    expect(seen.toSorted()).toEqual([
      'sleeps 10 at 1000',
      'sleeps 50 at 1000',
      'sleeps 500 at 1000',
      'woken 10 at 1010',
    ])
    expect(process.life).toBe('dead')
  })

  it('that is killed while it is paused gets nothing of what was kept for it', async () => {
    const { kernel, process, seen, see } = world()
    process.start(async () => {
      await process.clock.sleep(10)
      see('woken')
    })
    kernel.after(5, 'pause', () => process.pause())
    kernel.after(20, 'kill', () => process.kill())
    kernel.after(30, 'resume', () => process.resume())
    await kernel.run({ until: end })
    expect(seen).toEqual([])
  })

  it('that was paused goes on with everything in the order in which it came, each as an event', async () => {
    const { kernel, process, seen, see } = world()
    const sleeps = [30, 10, 40, 20, 110]
    for (const ms of sleeps) {
      process.start(async () => {
        await process.clock.sleep(ms)
        see(`woken ${ms}`)
      })
    }
    kernel.after(5, 'pause', () => process.pause())
    kernel.after(100, 'resume', () => process.resume())
    const steps: string[] = []
    await kernel.run({ until: end, onStep: (label) => void steps.push(label) })
    expect(seen).toEqual([10, 20, 30, 40].map((ms) => `woken ${ms} at 1100`).concat('woken 110 at 1110'))
    expect(steps.filter((label) => label === 'p goes on')).toHaveLength(4)
  })
})
