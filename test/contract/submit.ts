import { describe, expect, it } from 'vitest'
import { verify } from '../../src/store/verify.ts'
import { accepted, applied, codeOf, type Setup, submission, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'
import { claimOf, claimOne, completion } from '../support/requests.ts'

export function submitContract(setup: Setup): void {
  describe('submit', () => {
    it('answers in the order of the submissions and refuses a bad one alone', async () => {
      const { store } = await setup()
      const good = [submission(), submission(), submission()]
      const bad = submission({ name: 'no-slash' })
      const results = await store.submit([...good.slice(0, 2), bad, ...good.slice(2)])
      expect(results.map(codeOf)).toEqual(['created', 'created', 'invalid_name', 'created'])
      const found = await store.find(good.map(({ id }) => ({ id })))
      expect(found.map((stored) => stored?.job.name)).toEqual(good.map(({ name }) => name))
      expect(await verify(store)).toEqual([])
    })

    it('keeps every field that was given', async () => {
      const { store } = await setup()
      const given = {
        key: 'order 7',
        labels: { team: 'red', __proto__: 'x' },
        priority: -3,
        scheduledFor: 9_000,
        expiresAt: 10_000,
        retry: { maxAttempts: 2, baseMs: 5, factor: 1.5, capMs: 50, maxSnoozes: 3 },
        timeoutMs: 250,
        deadlineAt: 20_000,
        awaits: { events: [{ eventType: 'paid', match: { ok: true }, times: 2, taskId: null }], failOn: ['refused'] },
        templateId: 'tpl',
        scheduleId: 'sch',
        retryOf: 'p:d:n:x',
        submittedBy: 'p:d:n:y-run-1',
        params: '{"a":[1.10,"é"]}',
      }
      const { job, params } = await submitOne(store, given, 1_000)
      const { awaits, params: _, retry, ...fields } = given
      expect(job).toMatchObject({ ...fields, retry, createdAt: 1_000 })
      expect(job.awaits).toEqual({ ...awaits, seen: [[]], decided: null })
      expect(params).toBe(given.params)
      const [found] = await store.find([{ id: job.id }])
      expect(found?.job).toEqual(job)
      expect(await verify(store)).toEqual([])
    })

    it('gives later jobs later positions, with room between them', async () => {
      const { store } = await setup()
      const first = await submitOne(store)
      const results = await store.submit([submission(), submission()])
      const positions = [first, ...results.map(accepted)].map(({ job }) => job.position)
      expect(positions).toEqual([...positions].sort((a, b) => a - b))
      expect(new Set(positions).size).toBe(3)
      expect(positions.every((position) => position % 100 === 0)).toBe(true)
    })

    it.each([
      ['plain jobs', {}],
      ['others', { key: 'k' }],
    ])('writes %s when their turn has come, and tells when they are written', async (_, given) => {
      const { store } = await setup()
      const [before, own] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const turn = { come: before.promise, over: own.resolve }
      const second = store.submit([submission(given), submission()], { turn })
      const first = await submitOne(store)
      expect((await store.list({ limit: 10 })).jobs).toHaveLength(1)
      before.resolve()
      const results = await second
      const positions = [first, ...results.map(accepted)].map(({ job }) => job.position)
      expect(positions).toEqual(positions.toSorted((a, b) => a - b))
      expect(new Set(positions).size).toBe(3)
      await own.promise
    })

    it('succeeds again when the same submission is repeated, and refuses another one with its id', async () => {
      const { store, raw } = await setup()
      const once = submission({ params: '1' })
      const [first, again, other] = [
        ...(await store.submit([once])),
        ...(await store.submit([once])),
        ...(await store.submit([{ ...once, name: '/test/other' }])),
      ]
      expect([first, again, other].map(codeOf)).toEqual(['created', 'kept', 'id_taken'])
      expect(await readAll({ store, raw })).toHaveLength(1)
    })

    it('frees a name at the end of its job', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/test/a' })
      await store.apply([completion(await claimOne(store))])
      const second = await submitOne(store, { name: '/test/a' })
      const [found] = await store.find([{ name: '/test/a' }])
      expect(found?.job.id).toBe(second.job.id)
    })

    it('finds the newest job of a name that nobody holds', async () => {
      const { store } = await setup()
      const ids: string[] = []
      for (const _ of [1, 2, 3]) {
        ids.push((await submitOne(store, { name: '/test/a' })).job.id)
        await store.apply([completion(await claimOne(store))])
      }
      expect((await store.find([{ name: '/test/a' }, { name: '/test' }])).map((s) => s?.job.id)).toEqual([
        ids[2],
        undefined,
      ])
    })
  })

  describe('a name that is taken', () => {
    it('is an error by default, which names the holder', async () => {
      const { store, raw } = await setup()
      const holder = await submitOne(store, { name: '/test/a' })
      const [result] = await store.submit([submission({ name: '/test/a' })])
      if (result?.outcome !== 'refused') throw new Error('It was not refused.')
      expect(result.error.code).toBe('name_taken')
      expect(result.error.details).toMatchObject({ holder: holder.job.id, name: '/test/a' })
      expect(await readAll({ store, raw })).toHaveLength(1)
    })

    it('gives the live job with keep', async () => {
      const { store } = await setup()
      const holder = await submitOne(store, { name: '/test/a' })
      const [result] = await store.submit([submission({ name: '/test/a', onConflict: 'keep' })])
      expect(result).toMatchObject({ outcome: 'kept', stored: { job: { id: holder.job.id } } })
    })

    it('records the duplicate with skip: a final job with a skipped run', async () => {
      const { store } = await setup()
      const holder = await submitOne(store, { name: '/test/a' })
      const [result] = await store.submit([submission({ name: '/test/a', onConflict: 'skip' })])
      const { job } = accepted(result)
      expect(result?.outcome).toBe('skipped')
      expect(job).toMatchObject({ state: 'final', outcome: 'SKIPPED', attempt: 0, cancelled: false })
      expect(await store.runs(job.id)).toMatchObject([
        { attempt: 0, status: 'SKIPPED', reason: `duplicate of ${holder.job.id}` },
      ])
      expect((await store.find([{ name: '/test/a' }]))[0]?.job.id).toBe(holder.job.id)
      expect(await verify(store)).toEqual([])
    })

    it('is taken over with replace: a job that did not start is cancelled, the new one is ready', async () => {
      const { store } = await setup()
      const old = await submitOne(store, { name: '/test/a' })
      const fresh = await submitOne(store, { name: '/test/a', onConflict: 'replace' })
      expect(fresh.job).toMatchObject({ phase: 'queued', replaces: old.job.id })
      expect((await store.find([{ id: old.job.id }]))[0]?.job).toMatchObject({
        state: 'final',
        cancelled: true,
        outcome: null,
      })
      expect((await store.claim(claimOf())).map(({ job }) => job.id)).toEqual([fresh.job.id])
      expect(await verify(store)).toEqual([])
    })

    it('is taken over with replace while the old job runs: the new one waits for its end', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/test/a' })
      const running = await claimOne(store)
      const fresh = await submitOne(store, { name: '/test/a', onConflict: 'replace' })
      expect(fresh.job.phase).toBe('pending')
      expect(await store.claim(claimOf({ token: 't2' }))).toEqual([])
      const [old] = await store.find([{ id: running.job.id }])
      expect(old?.job).toMatchObject({ phase: 'running', attempt: 1, token: 't1' })
      expect(old?.job.cancelRequestedAt).not.toBeNull()

      await store.apply([completion(running)])
      const [woken] = await store.claim(claimOf({ token: 't2' }))
      expect(woken?.job.id).toBe(fresh.job.id)
      expect(await verify(store)).toEqual([])
    })

    it('can be taken over again and again: only the last waits, for the one that runs', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/test/a' })
      const running = await claimOne(store)
      const second = await submitOne(store, { name: '/test/a', onConflict: 'replace' })
      const third = await submitOne(store, { name: '/test/a', onConflict: 'replace' })
      expect((await store.find([{ id: second.job.id }]))[0]?.job).toMatchObject({ state: 'final', cancelled: true })
      expect(third.job.phase).toBe('pending')
      await store.apply([completion(running)])
      expect((await store.claim(claimOf({ token: 't2' }))).map(({ job }) => job.id)).toEqual([third.job.id])
      expect(await verify(store)).toEqual([])
    })

    it('is decided within one batch as if it came one by one', async () => {
      const { store } = await setup()
      const name = '/test/a'
      const batch = [
        submission({ name }),
        submission({ name }),
        submission({ name, onConflict: 'keep' }),
        submission({ name, onConflict: 'skip' }),
        submission({ name, onConflict: 'replace' }),
      ]
      const results = await store.submit(batch)
      expect(results.map(codeOf)).toEqual(['created', 'name_taken', 'kept', 'skipped', 'created'])
      expect((await store.claim(claimOf())).map(({ job }) => job.id)).toEqual([batch[4]?.id])
      expect(await verify(store)).toEqual([])
    })
  })

  describe('a key', () => {
    it('is unique for namespace and type among jobs that are not final', async () => {
      const { store } = await setup()
      const results = await store.submit([
        submission({ key: 'k' }),
        submission({ key: 'k' }),
        submission({ key: 'k', type: 'other' }),
        submission({ key: 'k', name: '/elsewhere/a' }),
        submission({ key: 'k', onConflict: 'keep' }),
      ])
      expect(results.map(codeOf)).toEqual(['created', 'key_taken', 'created', 'created', 'kept'])
      const first = accepted(results[0])
      applied((await store.apply([{ job: first, command: { type: 'cancel', reason: 'test' } }]))[0])
      expect((await store.submit([submission({ key: 'k' })])).map(codeOf)).toEqual(['created'])
    })

    it('and a name of two different jobs are both taken over by replace', async () => {
      const { store } = await setup()
      const a = await submitOne(store, { name: '/test/a' })
      const b = await submitOne(store, { name: '/test/b', key: 'k' })
      const fresh = await submitOne(store, { name: '/test/a', key: 'k', onConflict: 'replace' })
      const [oldA, oldB] = await store.find([{ id: a.job.id }, { id: b.job.id }])
      expect([oldA?.job.cancelled, oldB?.job.cancelled]).toEqual([true, true])
      expect((await store.claim(claimOf())).map(({ job }) => job.id)).toEqual([fresh.job.id])
      expect(await verify(store)).toEqual([])
    })
  })
}
