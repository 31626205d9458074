import { describe, expect, it } from 'vitest'
import { accepted, type Setup, submission, submitOne } from '../support/fixture.ts'
import { claimOf, completion } from '../support/requests.ts'

export function depthsContract(setup: Setup): void {
  describe('how deep the queue is', () => {
    it('is told by type and namespace, where there is something', async () => {
      const { store } = await setup()
      expect(await store.depths()).toEqual([])
      const submit = async (name: string, type: string, scheduledFor?: number) => {
        const given = submission({ name, type, ...(scheduledFor === undefined ? {} : { scheduledFor }) })
        return accepted((await store.submit([given], { now: 1_000 }))[0])
      }
      await submit('/b/1st', 'work')
      await submit('/a/1st', 'work')
      await submit('/a/2nd', 'work')
      await submit('/a/3rd', 'work', 1_500)
      await submit('/a/4th', 'work', 9_000)
      await submit('/a/5th', 'other', 9_000)
      const [done] = await store.claim(claimOf({ limit: 1, now: 2_000 }))
      await store.claim(claimOf({ limit: 1, now: 2_000 }))
      const none = { ready: 0, delayed: 0, gated: 0, running: 0, oldestReadyAt: null }
      expect(await store.depths()).toEqual([
        { ...none, namespace: 'a', type: 'other', delayed: 1 },
        { ...none, namespace: 'a', type: 'work', ready: 2, delayed: 1, running: 1, oldestReadyAt: 1_000 },
        { ...none, namespace: 'b', type: 'work', running: 1 },
      ])
      await store.apply([completion(done as never)], { now: 2_000 })
      await store.claim(claimOf({ limit: 1, now: 2_000 }))
      expect(await store.depths()).toEqual([
        { ...none, namespace: 'a', type: 'other', delayed: 1 },
        { ...none, namespace: 'a', type: 'work', ready: 1, delayed: 1, running: 2, oldestReadyAt: 1_500 },
      ])
    })

    it('counts what waits at a gate', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/a/shut/x' })
      await submitOne(store, { name: '/a/shut/y' })
      await store.pause({ path: '/a/shut' })
      expect(await store.claim(claimOf())).toEqual([])
      const [row] = await store.depths()
      // The model parks nothing: there they are ready, and every claim looks at them again.
      expect([(row?.ready ?? 0) + (row?.gated ?? 0), row?.running]).toEqual([2, 0])
    })

    it('does not count jobs that wait for others, or for something outside', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/a/x' })
      const [claimed] = await store.claim(claimOf())
      const ending = { kind: 'suspended', awaits: null, until: null } as const
      await store.apply([{ job: claimed as never, command: { type: 'finish', token: 't1', ending } }])
      expect(await store.depths()).toEqual([])
    })
  })
}
