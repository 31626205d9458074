import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/engine/clock.ts'
import { Hub, Signal } from '../../src/engine/hub.ts'

/** A clock whose sleeps end when their signal aborts, or when all are ended. */
function heldClock() {
  const sleeping = new Set<() => void>()
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    turn: () => Promise.resolve(),
    sleep: (_, signal) =>
      new Promise((resolve) => {
        const done = () => {
          sleeping.delete(done)
          resolve()
        }
        sleeping.add(done)
        signal?.addEventListener('abort', done, { once: true })
      }),
  }
  return { clock, sleeping }
}

describe('a signal', () => {
  it('wakes all who wait, and keeps what was told while nobody did', async () => {
    const { clock, sleeping } = heldClock()
    const signal = new Signal()
    signal.tell()
    await signal.wait(clock, 1_000)
    const two = [signal.wait(clock, 1_000), signal.wait(clock, 1_000)]
    signal.tell()
    await Promise.all(two)
    expect(sleeping.size).toBe(0)
  })

  it('is over when the time is, or when it is stopped, and then wakes nobody', async () => {
    const { clock, sleeping } = heldClock()
    const signal = new Signal()
    const stop = new AbortController()
    const timed = signal.wait(clock, 1_000)
    const stopped = signal.wait(clock, 1_000, stop.signal)
    stop.abort()
    await stopped
    for (const done of sleeping) done()
    await timed
    await signal.wait(clock, 1_000, stop.signal)
  })
})

describe('what is due', () => {
  it('is told to each who asks by when it looked last, though another has passed it', () => {
    const hub = new Hub()
    for (const instant of [30, 10, 20, 10]) hub.dueAt(instant)
    expect(hub.nextDue(5)).toBe(10)
    expect(hub.nextDue(10)).toBe(20)
    expect(hub.nextDue(9)).toBe(10)
    expect(hub.nextDue(30)).toBeNull()
    expect(hub.nextDue(10_000)).toBeNull()
    expect(hub.nextDue(5)).toBeNull()
  })

  it('keeps the nearest of many', () => {
    const hub = new Hub()
    for (let i = 3_000; i > 0; i--) hub.dueAt(i)
    expect(hub.nextDue(0)).toBe(1)
    expect(hub.nextDue(999)).toBe(1_000)
    expect(hub.nextDue(1_000)).toBeNull()
  })
})
