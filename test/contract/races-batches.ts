import { describe, expect, it } from 'vitest'
import type { ApplyRequest, NewEvent, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, codeOf, newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { allJobs, openStores, submitMany, times } from '../support/racing.ts'
import { claimOf, completion } from '../support/requests.ts'

/** Puts bad items between the good ones, far from both ends, and tells what every place should answer. */
function mixed<T>(good: readonly T[], bad: readonly (readonly [item: unknown, code: string])[], ok: string) {
  const middle = Math.floor(good.length / 2)
  const items = [...good.slice(0, middle).map((item) => [item, ok] as const)]
  for (const [i, item] of good.slice(middle).entries()) {
    const wrong = bad[i]
    if (wrong !== undefined) items.push([wrong[0] as T, wrong[1]])
    items.push([item, ok])
  }
  return { items: items.map(([item]) => item), codes: items.map(([, code]) => code) }
}

export function batchContract(setup: Setup): void {
  describe('one bad item among fifty', () => {
    it('fails alone in submit', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/test/taken', key: 'taken' })
      const good = times(50, () => submission())
      const { items, codes } = mixed<Submission>(
        good,
        [
          [null, 'invalid_argument'],
          ['text', 'invalid_argument'],
          [submission({ name: 'relative' }), 'invalid_name'],
          [submission({ id: 'no-uuid' }), 'invalid_id'],
          [submission({ name: '/test/taken' }), 'name_taken'],
          [submission({ key: 'taken' }), 'key_taken'],
          [submission({ key: 'a\0b' }), 'invalid_json'],
          [submission({ labels: { a: '\ud800' } }), 'invalid_json'],
          [submission({ params: `"${'x'.repeat(1_048_576)}"` }), 'payload_too_large'],
          [submission({ priority: Number.NaN }), 'invalid_argument'],
          [submission({ context: { actor: 'a\0b' } }), 'invalid_json'],
          [submission({ awaits: { events: [null] } as never }), 'invalid_argument'],
          [{ ...submission(), type: Symbol('type') }, 'invalid_argument'],
        ],
        'created',
      )
      expect((await store.submit(items)).map(codeOf)).toEqual(codes)
      expect((await store.claim(claimOf({ limit: 100 }))).map(({ job }) => job.id)).toEqual([
        expect.any(String),
        ...good.map(({ id }) => id),
      ])
      expect(await verify(store)).toEqual([])
    })

    it('fails alone in apply, also while others change the same jobs', async () => {
      const fixture = await setup()
      const [store, other] = await openStores(fixture, 2)
      if (store === undefined || other === undefined) throw new Error('Two stores were expected.')
      await submitMany(store, 56)
      const running = await store.claim(claimOf({ limit: 55 }))
      const [spoiled, huge, ...rest] = running
      const [queued] = (await store.submit([submission({ type: 'other' })])).map(accepted)
      if (spoiled === undefined || huge === undefined || queued === undefined) throw new Error('Jobs were expected.')
      const cancel = { type: 'cancel', reason: 'test' } as const
      const { items, codes } = mixed<ApplyRequest>(
        rest.slice(0, 50).map((job) => completion(job, '{"ok":true}')),
        [
          [null, 'invalid_argument'],
          [{ job: newId(), command: cancel }, 'not_found'],
          [{ job: 'no-uuid', command: cancel }, 'not_found'],
          [{ job: null, command: cancel }, 'invalid_argument'],
          [{ job: spoiled, command: null }, 'invalid_argument'],
          [{ job: spoiled, command: { type: 'no such' } }, 'invalid_argument'],
          [completion(spoiled, '1', 'wrong token'), 'stale_token'],
          [completion(huge, `"${'x'.repeat(1_048_576)}"`), 'payload_too_large'],
          [completion(huge, '"\0"'), 'invalid_json'],
          [{ job: queued, command: { type: 'edit', changes: { priority: 0.5 } } }, 'invalid_argument'],
          [{ job: queued, command: { type: 'cancel', reason: 'a\0b' } }, 'invalid_json'],
          [{ job: queued, command: cancel, context: { actor: '\ud800' } }, 'invalid_json'],
        ],
        'ok',
      )
      const ask = rest.slice(0, 50).map(({ job }) => ({ job: job.id, command: cancel }))
      const [answers] = await Promise.all([store.apply(items), other.apply(ask)])
      expect(answers.map(codeOf)).toEqual(codes)
      const ended = (await allJobs(store)).filter(({ job }) => job.outcome === 'COMPLETED')
      expect(ended).toHaveLength(50)
      expect(await store.find([{ id: spoiled.job.id }, { id: huge.job.id }, { id: queued.job.id }])).toEqual([
        ...[spoiled, huge, queued],
      ])
      expect(await verify(store)).toEqual([])
    })

    it('fails alone in append', async () => {
      const { store, raw } = await setup()
      const event = (id: string, fields: object = {}): NewEvent => {
        return { namespace: 'test', source: 'shop', id, type: 'paid', ...fields }
      }
      const { items, codes } = mixed<NewEvent>(
        times(50, (i) => event(`e${i}`)),
        [
          [null, 'invalid_argument'],
          [7, 'invalid_argument'],
          [event('', {}), 'invalid_argument'],
          [event('n', { namespace: 'a/b' }), 'invalid_argument'],
          [event('t', { type: 'job.created' }), 'reserved_event_type'],
          [event('a\0b'), 'invalid_json'],
          [event('x', { attributes: { deep: { text: '\udfff' } } }), 'invalid_json'],
          [event('x', { attributes: { n: Number.POSITIVE_INFINITY } }), 'invalid_json'],
          [event('x', { attributes: { long: 'x'.repeat(262_144) } }), 'payload_too_large'],
          [event('x', { attributes: [] }), 'invalid_argument'],
          [event('x', { occurredAt: new Date() }), 'invalid_argument'],
          [event('x', { jobId: 5 }), 'invalid_argument'],
        ],
        'recorded',
      )
      const answers = await store.append(items)
      expect(answers.map((answer) => ('error' in answer ? answer.error.code : answer.outcome))).toEqual(codes)
      expect(await raw('select 1 from events')).toHaveLength(50)
      expect(await raw('select 1 from event_keys')).toHaveLength(50)
    })
  })
}
