import { describe, expect, it } from 'vitest'
import type { ClaimRequest, Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { ModelStore } from '../simulation/model-store.ts'
import { Random } from '../simulation/random.ts'
import { type Setup, submission } from '../support/fixture.ts'
import { times } from '../support/racing.ts'
import { claimOf } from '../support/requests.ts'

const seeds = [1, 2, 3]
const opsPerSeed = 40
const namespaces = ['a', 'ab', 'b', 'B', 'c-d', 'c']
const branches = ['', '/x', '/x/y', '/xy']
const types = ['t', 'u']

/** A store against the model, where all is looked at and nothing is indexed: the same calls give the same jobs in the same order. */
export function fairnessModel(setup: Setup): void {
  describe('claims of branches and in turns against the model', () => {
    it.each(seeds)('take the same jobs in the same order, seed %i', async (seed) => {
      const { store } = await setup()
      const random = new Random(seed)
      const stores = [store, new ModelStore()]
      for (let i = 0; i < opsPerSeed; i++) {
        const act = next(random.fork(`op ${i}`), 1_000 + i * 100, `t${i}`, seed % 2 === 0)
        const [real, model] = [await act(stores[0] as Store), await act(stores[1] as Store)]
        expect(real, `operation ${i}`).toEqual(model)
      }
      expect(await verify(store)).toEqual([])
    })
  })
}

/** Something to do, drawn. What it gives must be the same on every store. */
function next(random: Random, now: number, token: string, hasGates: boolean): (store: Store) => Promise<unknown> {
  const kind = random.float()
  if (kind < 0.35) return submitSome(random, now, hasGates)
  if (kind < 0.5 && hasGates) return changeGate(random, now)
  // Who of several gets what is left, of a limit or of the suspects, when others are shut out before it, is nobody's promise.
  const suspectLimit = hasGates ? random.pick([0, 99] as const) : random.between(0, 2)
  const request = { ...drawClaim(random, now, token), suspectLimit }
  const isLost = random.chance(0.3)
  return async (store) => {
    const claimed = await store.claim(request)
    const lose = { type: isLost ? 'lose' : 'giveBack', token, random: 0, alone: false } as const
    const given = claimed.filter((_, i) => isLost || i % 3 === 0)
    await store.apply(
      given.map((job) => ({ job, command: lose })),
      { now },
    )
    return claimed.map(({ job }) => job.name)
  }
}

function submitSome(random: Random, now: number, hasGates: boolean): (store: Store) => Promise<unknown> {
  const batch = times(random.between(1, 12), (i) => {
    const namespace = random.pick(namespaces) ?? ''
    return submission({
      name: `/${namespace}${random.pick(branches) ?? ''}/j${i}-${now}`,
      type: random.pick(types) ?? '',
      priority: random.between(0, 2),
      scheduledFor: now + (random.chance(0.2) ? random.between(0, 500) : 0),
      retry: { baseMs: 0 },
      ...(random.chance(0.1) ? { expiresAt: now + random.between(600, 900) } : {}),
      ...(hasGates && random.chance(0.3) ? { limits: [{ key: namespace, concurrency: random.between(1, 3) }] } : {}),
    })
  })
  return async (store) => (await store.submit(batch, { now })).map(({ outcome }) => outcome)
}

function changeGate(random: Random, now: number): (store: Store) => Promise<unknown> {
  const path = `/${random.pick(namespaces)}${random.pick(branches)}`
  const isPause = random.chance(0.5)
  return async (store) => (isPause ? await store.pause({ path }, { now }) : await store.resume({ path }))
}

function drawClaim(random: Random, now: number, token: string): ClaimRequest {
  const after = random.pick([null, 'a', 'b', 'bb', 'c', 'z', 'A'])
  const paths = times(random.between(1, 4), () => `/${random.pick(namespaces)}${random.pick(branches)}`)
  const isBound = random.chance(0.5)
  return claimOf({
    types: random.pick<readonly string[]>([['t'], ['u'], ['t', 'u']]),
    limit: random.between(1, 15),
    token,
    now,
    ...(isBound ? { paths } : {}),
    ...(random.chance(isBound ? 0.5 : 0.8) ? { fairness: { after } } : {}),
  })
}
