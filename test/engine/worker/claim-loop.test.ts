import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { systemClock } from '../../../src/engine/clock.ts'
import type { Env } from '../../../src/engine/env.ts'
import { Hub } from '../../../src/engine/hub.ts'
import { ClaimLoop } from '../../../src/engine/worker/claim-loop.ts'
import type { Claims } from '../../../src/engine/worker/claims.ts'
import { Slots } from '../../../src/engine/worker/slots.ts'

type Answer = (found: number) => void

/** A loop of a worker that may hold fourteen attempts and has so many, and whose claims the test answers. */
function setup(held: number) {
  // Time stands still, so it stays known how fast attempts have ended.
  const clock = { ...systemClock, monotonic: () => 1_000 }
  const slots = new Slots(clock, { concurrency: 2, prefetchMax: 12, fairness: 'none' })
  for (let i = 0; i < 20; i++) slots.leave()
  slots.running = held
  const asked: { readonly limit: number; readonly suspectLimit: number; readonly answer: Answer }[] = []
  const claims = {
    claim: (limits: { limit: number; suspectLimit: number }) => {
      return new Promise<number>((resolve) => void asked.push({ ...limits, answer: resolve }))
    },
  } as unknown as Claims
  const closing = new AbortController()
  const env = { clock, hub: new Hub(), random: () => 0.5, store: { kind: 'postgres' } } as unknown as Env
  const loop = new ClaimLoop(env, {
    ...{ slots, claims, pollMs: 60_000, closing: closing.signal },
    ...{ mayTakeSuspect: () => true, take: () => {}, lookForStrays: () => {} },
  })
  const ran = loop.run()
  const close = async () => {
    closing.abort()
    for (const { answer } of asked) answer(0)
    await ran
  }
  return { loop, slots, asked, close }
}

it('a claim that is carried is sent beside others, for what they have not asked for, and looks for no suspect', async () => {
  const { loop, slots, asked, close } = setup(8)
  slots.running = 3
  loop.hear(false)
  expect(asked.map(({ limit }) => limit)).toEqual([6])
  loop.hear(true)
  expect(asked.map(({ limit }) => limit)).toEqual([6, 5])
  expect(asked[1]?.suspectLimit).toBe(0)
  // One beside the other is enough.
  slots.running = 1
  loop.hear(true)
  expect(asked).toHaveLength(2)
  await close()
})

it('a claim that is carried asks for whatever there is place for, also where another would wait for more', async () => {
  const { loop, asked, close } = setup(13)
  loop.hear(false)
  await nextTurn()
  expect(asked).toEqual([])
  loop.hear(true)
  expect(asked.map(({ limit }) => limit)).toEqual([1])
  await close()
})

it('what it hears of while it has no room beside a claim is looked for when that one comes back', async () => {
  const { loop, slots, asked, close } = setup(8)
  slots.running = 3
  loop.hear(true)
  await nextTurn()
  expect(asked.map(({ limit }) => limit)).toEqual([6, 5])
  asked[0]?.answer(0)
  slots.running = 9
  await nextTurn()
  loop.hear(false)
  await nextTurn()
  expect(asked).toHaveLength(2)
  slots.running = 3
  asked[1]?.answer(0)
  await nextTurn()
  expect(asked.map(({ limit }) => limit)).toEqual([6, 5, 11])
  await close()
})
