import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beatLoop, type Pace } from '../../src/store/beat-loop.ts'

const leaseMs = 900

/** What a try to renew comes to, and after how long. */
type Try = readonly [answer: 'yes' | 'no' | 'throws' | 'hangs', afterMs?: number]

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/** A clock that stands until everybody sleeps, and then goes to the first who wakes. */
class FakePace implements Pace {
  time = 0
  readonly sleepers = new Set<Sleeper>()

  now(): number {
    return this.time
  }

  random(): number {
    return 0.5
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const sleeper = { at: this.time + ms, wake: resolve }
      this.sleepers.add(sleeper)
      const stop = () => this.wake(sleeper)
      signal.addEventListener('abort', stop)
    })
  }

  wake(sleeper: Sleeper): void {
    if (this.sleepers.delete(sleeper)) sleeper.wake()
  }

  async next(): Promise<boolean> {
    await nextTurn()
    const [first] = [...this.sleepers].sort((a, b) => a.at - b.at)
    if (first === undefined) return false
    this.time = first.at
    this.wake(first)
    return true
  }
}

interface Played {
  /** When something was said, and what. */
  readonly beats: readonly (readonly [at: number, alive: boolean])[]
  /** When each try was sent. */
  readonly sent: readonly number[]
  readonly ended: boolean
}

/** Plays the tries one after the other; when there are none left it is stopped. */
async function play(tries: readonly Try[]): Promise<Played> {
  const pace = new FakePace()
  const stop = new AbortController()
  const [beats, sent, left]: [[number, boolean][], number[], Try[]] = [[], [], [...tries]]
  let answered = 0
  const renew = async (): Promise<boolean> => {
    const [answer, afterMs = 0] = left.shift() ?? ['hangs']
    sent.push(pace.now())
    if (answer === 'hangs') return await new Promise<boolean>(() => {})
    if (afterMs > 0) await pace.sleep(afterMs, new AbortController().signal)
    answered += 1
    if (answer === 'throws') throw new Error('No connection.')
    return answer === 'yes'
  }
  let ended = false
  const loop = beatLoop({ leaseMs, renew, onBeat: (alive) => beats.push([pace.now(), alive]) }, stop.signal, pace)
  void loop.then(() => {
    ended = true
  })
  while (!ended && (await pace.next())) {
    await nextTurn()
    if (answered === tries.length) stop.abort()
  }
  return { beats, sent, ended }
}

describe('the loop that renews a lease', () => {
  it('renews at once and then after each third of the lease', async () => {
    const { beats, sent, ended } = await play([['yes'], ['yes'], ['yes']])
    expect(sent).toEqual([0, 300, 600])
    expect(beats).toEqual(sent.map((at) => [at, true]))
    expect(ended).toBe(true)
  })

  it('ends when there is nothing to renew any more', async () => {
    const { beats, sent } = await play([['yes'], ['no', 5], ['yes']])
    expect(sent).toEqual([0, 300])
    expect(beats).toEqual([
      [0, true],
      [305, false],
    ])
  })

  it('counts from when it sent, so a slow answer is followed by the next try in time', async () => {
    const { sent } = await play([['yes', 200], ['yes', 450], ['yes']])
    expect(sent).toEqual([0, 300, 795])
  })

  it('tries again soon after an error, and says nothing of it', async () => {
    const { beats, sent } = await play([['yes'], ['throws'], ['throws', 10], ['yes']])
    expect(sent).toEqual([0, 300, 345, 400])
    expect(beats).toEqual([
      [0, true],
      [400, true],
    ])
  })

  it('gives up when nine tenths of the lease have passed since the last renewal was sent', async () => {
    const hung = await play([['yes', 100], ['hangs']])
    expect(hung.beats).toEqual([
      [100, true],
      [810, false],
    ])
    const failing = await play([['yes'], ...Array.from({ length: 30 }, (): Try => ['throws'])])
    expect(failing.beats).toEqual([
      [0, true],
      [810, false],
    ])
  })

  it('says nothing after it was stopped, though an answer comes', async () => {
    const pace = new FakePace()
    const stop = new AbortController()
    const beats: boolean[] = []
    const answers: ((alive: boolean) => void)[] = []
    const renew = () => new Promise<boolean>((resolve) => answers.push(resolve))
    const loop = beatLoop({ leaseMs, renew, onBeat: (alive) => beats.push(alive) }, stop.signal, pace)
    stop.abort()
    for (const answer of answers) answer(false)
    await loop
    expect(beats).toEqual([])
    expect(pace.sleepers.size).toBe(0)
  })

  it('never believes a lease that may have run out, whatever happens', async () => {
    const one = fc.tuple(fc.constantFrom('yes', 'yes', 'no', 'throws', 'hangs'), fc.integer({ min: 0, max: 1_000 }))
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 12 }), async (tries) => {
        const { beats, sent } = await play(tries as readonly Try[])
        const silent = beats.findIndex(([, alive]) => !alive)
        expect(silent === -1 || silent === beats.length - 1).toBe(true)
        let renewedAt = 0
        for (const [at, alive] of beats) {
          expect(at - renewedAt).toBeLessThanOrEqual(leaseMs * 0.9)
          if (alive) renewedAt = sent.findLast((sentAt) => sentAt <= at) ?? 0
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
