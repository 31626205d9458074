import { describe, expect, it } from 'vitest'
import type { StintError } from '../../src/core/errors.ts'
import type { NewTemplate } from '../../src/store/controls.ts'
import type { Store, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, newId, type Setup, submission } from '../support/fixture.ts'
import { openStores, times } from '../support/racing.ts'
import { codeOf } from '../support/requests.ts'

/** On PostgreSQL the newest events are seen when all transactions that began before have ended, in whatever database. */
const patience = { timeout: 30_000 }

export function templateContract(setup: Setup): void {
  const create = (store: Store, fields: Partial<NewTemplate> = {}) => {
    return store.control(
      'template.create',
      { id: newId(), path: '/t/daily', type: 'report', ...fields },
      { now: 1_000 },
    )
  }
  const { type: _, ...untyped } = submission({})
  const ofTemplate = (template: string, fields: Partial<Submission> = {}): Submission => {
    return { ...untyped, id: newId(), name: `/t/${newId()}`, template, ...fields }
  }
  const submitOne = async (store: Store, given: Submission) => {
    const [result] = await store.submit([given], { now: 2_000 })
    return result
  }
  const refusal = async (store: Store, given: Submission): Promise<StintError> => {
    const result = await submitOne(store, given)
    if (result?.outcome !== 'refused') throw new Error('It was not refused.')
    return result.error
  }
  const typesInLog = async (store: Store) => {
    const { entries } = await store.events({ limit: 100 })
    return entries.map(({ eventType }) => eventType)
  }

  describe('templates', () => {
    it('have all their fields, and are found by id and path', async () => {
      const { store } = await setup()
      const settings = { priority: 7, retry: { maxAttempts: 2 }, timeoutMs: 5_000, labels: { team: 'a' } }
      const created = await create(store, {
        ...settings,
        label: 'Daily report',
        description: 'Every morning',
        params: { to: 'all' },
        schema: { type: 'object' },
      })
      expect(created).toEqual({
        ...settings,
        id: created.id,
        path: '/t/daily',
        type: 'report',
        status: 'CREATED',
        label: 'Daily report',
        description: 'Every morning',
        params: { to: 'all' },
        schema: { type: 'object' },
        version: 1,
        createdAt: 1_000,
        updatedAt: 1_000,
      })
      expect(await store.control('template.get', { template: '/t/daily' })).toEqual(created)
      expect(await store.control('template.get', { template: created.id })).toEqual(created)
      expect(await store.control('template.get', { template: '/t/none' })).toBeNull()
    })

    it('are active from their first job on, which is a snapshot of them', async () => {
      const { store } = await setup()
      const { id } = await create(store, {
        params: { a: 1, b: 1 },
        priority: 5,
        labels: { x: '1', y: '1' },
        timeoutMs: 9,
      })
      const stored = accepted(await submitOne(store, ofTemplate('/t/daily', { params: '{"b":2}', labels: { y: '2' } })))
      expect(stored.job).toMatchObject({ type: 'report', templateId: id, priority: 5, timeoutMs: 9 })
      expect(stored.job.labels).toEqual({ x: '1', y: '2' })
      expect(stored.params).toBe('{"a":1,"b":2}')
      expect(await store.control('template.get', { template: id })).toMatchObject({ status: 'ACTIVE', version: 2 })

      await store.control('template.change', { template: id, changes: { priority: 1, params: { a: 3 } } })
      expect((await store.find([{ id: stored.job.id }]))[0]).toMatchObject({
        params: '{"a":1,"b":2}',
        job: { priority: 5 },
      })
      const later = accepted(await submitOne(store, ofTemplate(id)))
      expect([later.params, later.job.priority, later.job.timeoutMs]).toEqual(['{"a":3}', 1, 9])
      expect(await verify(store)).toEqual([])
    })

    it('give times that count from when a job is due', async () => {
      const { store } = await setup()
      await create(store, { expiresInMs: 100, deadlineInMs: 300 })
      const now = accepted(await submitOne(store, ofTemplate('/t/daily')))
      expect(now.job).toMatchObject({ expiresAt: 2_100, deadlineAt: 2_300 })
      const later = accepted(await submitOne(store, ofTemplate('/t/daily', { scheduledFor: 9_000, deadlineAt: 9_999 })))
      expect(later.job).toMatchObject({ expiresAt: 9_100, deadlineAt: 9_999 })
    })

    it('keep params to their schema, and say where they do not fit', async () => {
      const { store } = await setup()
      const properties = { to: { type: 'string' }, count: { type: 'integer', minimum: 1 } }
      await create(store, { params: { count: 1 }, schema: { type: 'object', properties, required: ['to'] } })
      expect(accepted(await submitOne(store, ofTemplate('/t/daily', { params: '{"to":"all"}' }))).params).toBe(
        '{"count":1,"to":"all"}',
      )
      const missing = await refusal(store, ofTemplate('/t/daily'))
      expect(missing).toMatchObject({ code: 'invalid_params', details: { field: 'params' } })
      expect(missing.message).toMatch(/to/)
      expect((await refusal(store, ofTemplate('/t/daily', { params: '{"to":"a","count":0}' }))).message).toMatch(
        /count/,
      )
      await expect
        .poll(() => typesInLog(store), patience)
        .toEqual(['template.created', 'template.activated', 'job.created'])
    })

    it('that are archived refuse new jobs and changes, and leave their path', async () => {
      const { store } = await setup()
      const { id } = await create(store)
      await submitOne(store, ofTemplate(id))
      expect(await store.control('template.archive', { template: '/t/daily' })).toMatchObject({ status: 'ARCHIVED' })
      expect(await store.control('template.archive', { template: id })).toMatchObject({ version: 3 })
      expect((await refusal(store, ofTemplate(id))).code).toBe('template_archived')
      expect((await refusal(store, ofTemplate('/t/daily'))).code).toBe('not_found')
      expect(await codeOf(store.control('template.change', { template: id, changes: { priority: 1 } }))).toBe(
        'template_archived',
      )
      expect(await codeOf(store.control('template.activate', { template: id }))).toBe('template_archived')
      const next = await create(store)
      expect(next.id).not.toBe(id)
      const listed = await store.control('template.list', { limit: 10 })
      expect(listed.items.map((template) => template.id)).toEqual([next.id])
      const all = await store.control('template.list', { limit: 10, withReleased: true })
      expect(all.items.map((template) => template.id)).toEqual([next.id, id])
    })

    it('keep every change in the log, with who made it', async () => {
      const { store } = await setup()
      const { id } = await create(store)
      const context = { actor: 'ann' }
      await store.control('template.change', { template: id, changes: { label: 'New' } }, { now: 3_000, context })
      await store.control('template.activate', { template: id }, { now: 4_000 })
      await store.control('template.archive', { template: id }, { now: 5_000 })
      await expect.poll(() => typesInLog(store), patience).toHaveLength(4)
      const { entries } = await store.events({ limit: 10 })
      expect(
        entries.map(({ eventType, eventId, version, occurredAt }) => [eventType, eventId, version, occurredAt]),
      ).toEqual([
        ['template.created', `${id}.1`, 1, 1_000],
        ['template.changed', `${id}.2`, 2, 3_000],
        ['template.activated', `${id}.3`, 3, 4_000],
        ['template.archived', `${id}.4`, 4, 5_000],
      ])
      expect(entries[1]).toMatchObject({ actor: 'ann', jobId: null, namespace: 't' })
      expect(entries[1]?.attributes).toEqual({ id, path: '/t/daily', label: 'New' })
    })

    it('are listed by page and path', async () => {
      const { store } = await setup()
      for (const i of times(5, (n) => n)) await create(store, { path: `/t/a/t${i}` })
      await create(store, { path: '/t/ab' })
      const first = await store.control('template.list', { path: '/t/a', limit: 3 })
      expect(first.items.map(({ path }) => path)).toEqual(['/t/a/t4', '/t/a/t3', '/t/a/t2'])
      const rest = await store.control('template.list', { path: '/t/a', limit: 3, before: first.next })
      expect([rest.items.map(({ path }) => path), rest.next]).toEqual([['/t/a/t1', '/t/a/t0'], null])
    })

    it('have one holder of a path, also when many want it at once', async () => {
      const opened = await setup()
      const stores = await openStores(opened, 4)
      const results = await Promise.allSettled(stores.flatMap((store) => times(3, () => create(store))))
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'path_taken' })
      }
      const used = await Promise.all(stores.map((store) => submitOne(store, ofTemplate('/t/daily'))))
      expect(used.map((result) => result?.outcome)).toEqual(times(4, () => 'created'))
      await expect
        .poll(async () => (await typesInLog(opened.store)).filter((type) => type.startsWith('template.')), patience)
        .toEqual(['template.created', 'template.activated'])
    })

    it('refuse what is wrong, field by field, and write nothing then', async () => {
      const { store } = await setup()
      const wrong: readonly [Partial<Record<keyof NewTemplate | 'x', unknown>>, string][] = [
        [{ path: 'no slash' }, 'invalid_name'],
        [{ id: 'x' }, 'invalid_id'],
        [{ type: 'a b' }, 'invalid_argument'],
        [{ type: undefined }, 'invalid_argument'],
        [{ label: 3 }, 'invalid_argument'],
        [{ params: [1] }, 'invalid_argument'],
        [{ priority: 1.5 }, 'invalid_argument'],
        [{ retry: { maxAttempts: 0 } }, 'invalid_argument'],
        [{ retry: { tries: 3 } }, 'invalid_argument'],
        [{ timeoutMs: 0 }, 'invalid_argument'],
        [{ limits: [{ key: '' }] }, 'invalid_argument'],
        [{ schema: 'object' }, 'invalid_argument'],
        [{ schema: { type: 'strin' } }, 'invalid_argument'],
        [{ schema: { properties: { a: { pattern: '(' } } } }, 'invalid_argument'],
        [{ schema: { $ref: '#/nowhere' } }, 'invalid_argument'],
        [{ x: 1 }, 'invalid_argument'],
      ]
      for (const [fields, code] of wrong) {
        expect([fields, await codeOf(create(store, fields as Partial<NewTemplate>))]).toEqual([fields, code])
      }
      for (const ref of ['x', '/a\0b', '', 7 as never, '/t/\ud800']) {
        expect([ref, await codeOf(store.control('template.get', { template: ref }))]).toEqual([ref, expect.any(String)])
        expect([ref, (await refusal(store, ofTemplate(ref))).code]).toEqual([ref, expect.any(String)])
        expect([ref, await codeOf(store.control('defaults.remove', { path: ref }))]).toEqual([ref, expect.any(String)])
      }
      expect((await refusal(store, ofTemplate('/t/none'))).code).toBe('not_found')
      expect((await refusal(store, ofTemplate('not a ref'))).code).toBe('invalid_argument')
      await create(store)
      expect((await refusal(store, ofTemplate('/t/daily', { type: 'other' }))).details).toMatchObject({ field: 'type' })
      await expect.poll(() => typesInLog(store), patience).toEqual(['template.created', 'template.activated'])
    })
  })

  describe('defaults of paths', () => {
    it('fill in what neither the job nor its template says, the nearest path the strongest', async () => {
      const { store } = await setup()
      const set = (path: string, settings: object) => store.control('defaults.set', { id: newId(), path, settings })
      await set('/t', { priority: 1, timeoutMs: 100, retry: { maxAttempts: 9, baseMs: 5 } })
      await set('/t/a', { priority: 2, limits: [{ key: 'gpu', concurrency: 1 }] })
      await create(store, { path: '/t/a/tpl', retry: { maxAttempts: 2 } })
      const plain = accepted(await submitOne(store, submission({ name: '/t/a/x' })))
      expect(plain.job).toMatchObject({ priority: 2, timeoutMs: 100, limits: ['gpu'] })
      expect(plain.job.retry).toMatchObject({ maxAttempts: 9, baseMs: 5, factor: 2 })
      const said = accepted(await submitOne(store, submission({ name: '/t/b', priority: 0, retry: { baseMs: 1 } })))
      expect(said.job).toMatchObject({ priority: 0, limits: [], retry: { maxAttempts: 9, baseMs: 1 } })
      const made = accepted(await submitOne(store, ofTemplate('/t/a/tpl', { name: '/t/a/y' })))
      expect(made.job).toMatchObject({ priority: 2, retry: { maxAttempts: 2, baseMs: 5 } })
      expect(accepted(await submitOne(store, submission({ name: '/tt/a' }))).job.priority).toBe(0)
      expect(await verify(store)).toEqual([])
    })

    it('can be changed and removed, for jobs that come after', async () => {
      const { store } = await setup()
      const set = (priority: number) => {
        return store.control('defaults.set', { id: newId(), path: '/t', settings: { priority } }, { now: 1_000 })
      }
      await set(1)
      await set(2)
      expect(await store.control('defaults.list', { limit: 10 })).toEqual({
        items: [{ path: '/t', settings: { priority: 2 }, updatedAt: 1_000 }],
        next: null,
      })
      const before = accepted(await submitOne(store, submission({ name: '/t/x' })))
      expect(await store.control('defaults.remove', { path: '/t' })).toBe(true)
      expect(await store.control('defaults.remove', { path: '/t' })).toBe(false)
      expect(accepted(await submitOne(store, submission({ name: '/t/y' }))).job.priority).toBe(0)
      expect((await store.find([{ id: before.job.id }]))[0]?.job.priority).toBe(2)
      await expect
        .poll(async () => (await typesInLog(store)).filter((type) => type.startsWith('defaults')), patience)
        .toEqual(['defaults.set', 'defaults.set', 'defaults.removed'])
      expect(
        await codeOf(store.control('defaults.set', { id: newId(), path: '/t', settings: { priority: 'x' as never } })),
      ).toBe('invalid_argument')
    })
  })
}
