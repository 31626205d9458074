import { expect, it } from 'vitest'
import type { Store, SubmitResult } from '../../../src/store/store.ts'
import { accepted, newId, submission, submitOne } from '../../support/fixture.ts'
import { claimOne, codeOf } from '../../support/requests.ts'
import { onBothStores } from '../../support/stint.ts'

async function refused(store: Store, fields: Parameters<typeof submission>[0]): Promise<SubmitResult> {
  const [result] = await store.submit([submission(fields)])
  return result as SubmitResult
}

onBothStores('who sees one branch', (setup) => {
  it.each(['error', 'keep', 'skip', 'replace'] as const)(
    'neither sees nor replaces the job elsewhere that has its key (%s)',
    async (onConflict) => {
      const { stint, store } = await setup()
      const holder = await submitOne(store, { name: '/a/secret', type: 'x', key: 'k' })
      const { store: own } = stint.within({ path: '/a/b' })
      const result = await refused(own, { name: '/a/b/mine', type: 'x', key: 'k', onConflict })
      expect(result).toMatchObject({ outcome: 'refused', error: { code: 'key_taken' } })
      expect(JSON.stringify(result)).not.toMatch(/secret/)
      expect(JSON.stringify(result)).not.toContain(holder.job.id)
      expect(await store.find([{ id: holder.job.id }])).toEqual([holder])
      // In its own branch all of it is allowed.
      await submitOne(own, { name: '/a/b/first', type: 'y', key: 'k' })
      const [second] = await own.submit([
        submission({ name: '/a/b/second', type: 'y', key: 'k', onConflict: 'replace' }),
      ])
      expect(second?.outcome).toBe('created')
    },
  )

  it('cannot take the id of a job elsewhere, nor get that job by it', async () => {
    const { stint, store } = await setup()
    const { job } = await submitOne(store, { name: '/a/secret', type: 'x' })
    const result = await refused(stint.within({ path: '/a/b' }).store, { id: job.id, name: '/a/b/x', type: 'x' })
    expect(result).toMatchObject({ outcome: 'refused', error: { code: 'id_taken' } })
    expect(JSON.stringify(result)).not.toMatch(/secret/)
  })

  it('is not told who holds a limit, why others paused, or whose value is awaited', async () => {
    const { stint, store } = await setup()
    const ada = stint.within({ path: '/a/b' })
    const limits = [{ key: 'k', concurrency: 1 }]
    await submitOne(store, { name: '/a/secret-holder', type: 'x', limits })
    await claimOne(store, { types: ['x'] })
    await submitOne(store, { name: '/a/b/limited', type: 'x', limits })
    // A claim that meets it puts it where it waits.
    expect(await store.claim({ workerId: 'w', token: 't', types: ['x'], limit: 5 })).toEqual([])
    await store.pause({ path: '/a', reason: 'secret reason' })
    const slot = { id: newId(), path: '/a/secret-slot' }
    await store.control('slot.create', slot)
    await submitOne(store, { name: '/a/b/needy', type: 'x', needs: { list: [{ of: slot.id, at: null }] } })
    await submitOne(store, { name: '/a/b/paused', type: 'x' })
    const { items } = await ada.jobs.list()
    expect(items.map(({ reason }) => reason)).toEqual([
      'paused at /a',
      'waits for 1 slot',
      expect.stringMatching(/^(paused at \/a|limit k is full: .*)$/),
    ])
    expect(JSON.stringify(items)).not.toMatch(/secret/)
  })

  it('sees of a group those members that it sees', async () => {
    const { stint, store } = await setup()
    const group = { id: newId(), path: '/a/b/group' }
    await store.control('group.create', { ...group, mode: 'parallel' })
    const names = ['/a/secret', '/a/b/member']
    const results = await store.submit(names.map((name) => submission({ name, group: group.id })))
    for (const result of results) accepted(result)
    const { items } = await stint
      .within({ path: '/a/b' })
      .store.control('group.members', { group: group.id, limit: 10 })
    expect(items.map(({ name }) => name)).toEqual(['/a/b/member'])
  })

  it('is not told whose endpoint has a name', async () => {
    const { stint, store } = await setup()
    for (const [name, token] of [
      ['/a/secret', 't1'],
      ['/a/b/mine', 't2'],
    ]) {
      await submitOne(store, { name: name as string, type: token as string })
    }
    const register = async (of: Store, type: string) => {
      const { job } = await claimOne(store, { types: [type], token: type })
      await of.control('endpoint.register', { job: job.id, token: type, name: 'db', url: 'http://x' })
    }
    await register(store, 't1')
    const error = await register(stint.within({ path: '/a/b' }).store, 't2').catch((reason) => reason)
    expect([error.code, error.message, error.details]).toEqual([
      'endpoint_taken',
      'The endpoint db of a is that of another job, which runs.',
      { namespace: 'a', name: 'db' },
    ])
  })

  it('finds its jobs in the queue behind any number of others', async () => {
    const { stint, store } = await setup()
    await store.submit(Array.from({ length: 30 }, (_, i) => submission({ name: `/z/j${i}`, priority: 9 })))
    await store.submit(Array.from({ length: 3 }, (_, i) => submission({ name: `/a/b/j${i}` })))
    const { items } = await stint.within({ path: '/a/b' }).jobs.queue({ limit: 2 })
    expect(items.map(({ name }) => name)).toEqual(['/a/b/j0', '/a/b/j1'])
  })

  it('may run again a job that keeps to a limit, and give no new one', async () => {
    const { stint, store } = await setup()
    const { job } = await submitOne(store, { name: '/a/b/x', type: 'x', limits: [{ key: 'k', concurrency: 5 }] })
    const ada = stint.within({ path: '/a/b' })
    await ada.jobs.cancel(job.id)
    expect((await ada.jobs.retry(job.id)).name).toBe('/a/b/x')
    const again = { name: '/a/b/y', type: 'x', retryOf: `stint::a:${job.id}` }
    const result = await refused(ada.store, { ...again, limits: [{ key: 'k', concurrency: 0 }] })
    expect(result).toMatchObject({ outcome: 'refused', error: { code: 'forbidden' } })
  })

  it('is refused with the rest of a batch untouched when a reference is none', async () => {
    const { stint } = await setup()
    const results = await stint
      .within({ path: '/a/b' })
      .store.submit([submission({ name: '/a/b/x', template: 'no such thing' }), submission({ name: '/a/b/y' })])
    expect(results.map((result) => (result.outcome === 'refused' ? result.error.code : result.outcome))).toEqual([
      ...['invalid_argument', 'created'],
    ])
  })

  it('stands in the log with all that it does, by whatever way', async () => {
    const { stint, store } = await setup()
    const ada = stint.within({ path: '/a/b', actor: 'ada' })
    const { job } = await submitOne(ada.store, { name: '/a/b/x', type: 'x', context: { actor: null } })
    await store.register({ id: 'w1', name: 'w', leaseMs: 60_000, paths: ['/a/b'] })
    const claimed = await claimOne(ada.store, { types: ['x'] })
    expect((await ada.store.complete([{ job: claimed, result: null }])).done).toEqual([true])
    const { entries } = await store.events({ jobId: job.id, limit: 10 })
    expect(entries.map(({ actor }) => actor)).toEqual(['ada', 'ada', 'ada'])
  })

  it('can do nothing any more once its permission is gone', async () => {
    const { stint, store } = await setup()
    const { job } = await submitOne(store, { name: '/a/b/x' })
    let isPermitted = true
    const permit = () =>
      isPermitted ? Promise.resolve() : Promise.reject(Object.assign(new Error(), { code: 'gone' }))
    const ada = stint.within({ path: '/a/b', permit })
    expect((await ada.jobs.get(job.id))?.name).toBe('/a/b/x')
    isPermitted = false
    expect(await codeOf(ada.jobs.get(job.id))).toBe('gone')
    expect(await codeOf(ada.jobs.cancel(job.id))).toBe('gone')
    expect((await store.find([{ id: job.id }]))[0]?.job.state).toBe('initial')
  })
})
