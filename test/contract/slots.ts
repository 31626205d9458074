import { describe, expect, it } from 'vitest'
import { eventIdOf } from '../../src/core/job/events.ts'
import type { Need } from '../../src/core/slot/needs.ts'
import type { NewSlotInput, SlotRow } from '../../src/store/controls.ts'
import type { Store, StoredJob, Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel } from '../support/children.ts'
import {
  accepted,
  applied,
  codeOf as codeOfResult,
  newId,
  type Setup,
  submission,
  submitOne,
} from '../support/fixture.ts'
import { at, openStores, times } from '../support/racing.ts'
import { claimOf, claimOne, codeOf, completion, failure, finish } from '../support/requests.ts'
import { day, pruneAll } from '../support/retention.ts'

const need = (of: { readonly job: { readonly id: string } } | SlotRow, place: string | null = null): Need => {
  return { of: 'job' in of ? of.job.id : of.id, at: place }
}

const needing = (list: readonly Need[], fields: Partial<Submission> = {}) => submission({ needs: { list }, ...fields })

async function submitNeeding(
  store: Store,
  list: readonly Need[],
  fields: Partial<Submission> = {},
): Promise<StoredJob> {
  return accepted((await store.submit([needing(list, fields)]))[0])
}

async function open(store: Store, fields: Partial<NewSlotInput> = {}): Promise<SlotRow> {
  const id = newId()
  return await store.control('slot.create', { id, path: `/test/slot-${id.slice(-8)}`, ...fields })
}

const fill = (store: Store, slot: SlotRow, value = '1') =>
  store.control('slot.fill', { slot: slot.id, value, by: 'me' })

async function find(store: Store, { job }: StoredJob): Promise<StoredJob> {
  const [stored] = await store.find([{ id: job.id }])
  if (stored === undefined || stored === null) throw new Error('It is gone.')
  return stored
}

const returning = (job: StoredJob, output: string) => {
  return finish(job, { kind: 'suspended', awaits: null, until: null, output })
}

/** Runs the job that is ready, which must be this one. */
async function complete(store: Store, { job }: StoredJob, result: string): Promise<void> {
  const claimed = await claimOne(store, { token: newId() })
  expect(claimed.job.id).toBe(job.id)
  applied((await store.apply([completion(claimed, result)]))[0])
}

async function followUp(store: Store): Promise<void> {
  while (await store.followUp({ limit: 100, skip: 0 }));
}

export function slotsContract(setup: Setup): void {
  describe('a job that needs values', () => {
    it.each([
      ['a job', null],
      ['a child', 'p:d:n:y-run-1'],
    ])('goes on after the end of %s that is written the short way, or left to the long one', async (_, submittedBy) => {
      const { store } = await setup()
      const first = await submitOne(store, { submittedBy })
      const waiting = await submitNeeding(store, [need(first, '/a')], { params: '{"a":null}' })
      const running = await claimOne(store)
      const { done, woke = false } = await store.complete([{ job: running, result: '{"x":2}' }])
      expect(woke).toBe(done[0])
      if (done[0] !== true) applied((await store.apply([completion(running, '{"x":2}')]))[0])
      expect(await find(store, first)).toMatchObject({ result: '{"x":2}', job: { outcome: 'COMPLETED' } })
      expect(await find(store, waiting)).toMatchObject({ params: '{"a":{"x":2}}', job: { phase: 'queued' } })
      expect((await store.complete([{ job: running, result: '{"x":2}' }])).done).toEqual([false])
      expect(await verify(store)).toEqual([])
    })

    it('waits until it has all of them, and then holds them in its params', async () => {
      const { store } = await setup()
      const first = await submitOne(store)
      const slot = await open(store)
      const waiting = await submitNeeding(store, [need(first, '/a'), need(slot, '/b/0'), need(slot)], {
        params: '{"z":1,"a":null,"b":[null]}',
      })
      expect(waiting.job).toMatchObject({ state: 'initial', phase: 'pending', upstream: null })
      expect(await verify(store)).toEqual([])
      await complete(store, first, '{"x":2}')
      expect((await find(store, waiting)).job.phase).toBe('pending')
      expect(await store.claim(claimOf())).toEqual([])
      await fill(store, slot, '"b"')
      const ready = await find(store, waiting)
      expect(ready).toMatchObject({ params: '{"z":1,"a":{"x":2},"b":["b"]}', job: { phase: 'queued', upstream: [] } })
      expect(await verify(store)).toEqual([])
      const claimed = await claimOne(store)
      expect(claimed).toEqual(await find(store, waiting))
      expect(claimed.params).toBe(ready.params)
      const { jobs } = await store.audit({ after: null, limit: 10 })
      const own = jobs.find(({ stored }) => stored.job.id === waiting.job.id)?.own ?? []
      const replaced = own.find(({ type }) => type === 'job.queued')
      expect(replaced?.data).toMatchObject({ resolved: { params: { replaced: waiting.params }, upstream: [] } })
      expect(replaced && eventIdOf(replaced)).toBe(`${waiting.job.id}.2`)
    })

    it('can run at once when they are there already', async () => {
      const { store } = await setup()
      const first = await submitOne(store)
      await complete(store, first, '7')
      const slot = await open(store)
      await fill(store, slot, '8')
      const ready = await submitNeeding(store, [need(first, '/a'), need(slot, '/b')], { params: '{"a":null,"b":null}' })
      expect(ready).toMatchObject({ params: '{"a":7,"b":8}', job: { phase: 'queued' } })
      expect(ready).toEqual(await find(store, ready))
      expect(await verify(store)).toEqual([])
    })

    it('may be submitted together with what it needs, in any order', async () => {
      const { store } = await setup()
      const [a, b] = [submission(), submission()]
      const c = needing(
        [
          { of: a.id, at: '/a' },
          { of: b.id, at: null },
        ],
        { params: '{"a":null}' },
      )
      const d = needing([{ of: c.id, at: '' }])
      const results = (await store.submit([d, c, b, a])).map(accepted)
      expect(results.map(({ job }) => [job.id, job.phase])).toEqual([
        [d.id, 'pending'],
        [c.id, 'pending'],
        [b.id, 'queued'],
        [a.id, 'queued'],
      ])
      const claimed = await store.claim(claimOf())
      await store.apply(claimed.map((job) => completion(job, '1')))
      await complete(store, accepted({ outcome: 'created', stored: at(results, 1) }), '{"done":true}')
      expect((await claimOne(store)).params).toBe('{"done":true}')
      expect(await verify(store)).toEqual([])
    })

    it('is refused with what does not exist, with what another namespace has, and in a circle', async () => {
      const { store } = await setup()
      const other = await submitOne(store, { name: '/other/job' })
      const slot = await open(store, { path: '/other/slot' })
      const [a, b] = [submission(), submission()]
      const refused = await store.submit([
        needing([{ of: newId(), at: null }]),
        needing([need(other)]),
        needing([need(slot)]),
        { ...a, needs: { list: [{ of: b.id, at: null }] } },
        { ...b, needs: { list: [{ of: a.id, at: null }] } },
        needing([{ of: a.id, at: null }]),
        submission(),
      ])
      expect(refused.map(codeOfResult)).toEqual([
        ...['not_found', 'not_found', 'not_found', 'cycle', 'cycle', 'cycle', 'created'],
      ])
      const self = submission()
      expect(
        (await store.submit([{ ...self, needs: { list: [{ of: self.id, at: null }] } }])).map(codeOfResult),
      ).toEqual(['cycle'])
      expect(await verify(store)).toEqual([])
    })

    it.each([
      ['needs.list[0].of', { list: [{ of: 'x', at: null }] }],
      ['needs.list[0].at', { list: [{ of: newId(), at: 'a' }] }],
      ['needs.onFailure', { list: [], onFailure: 'cry' }],
      ['needs.list', { list: 'all' }],
      ['needs', 7],
    ])('is refused when %s is wrong', async (field, needs) => {
      const { store } = await setup()
      const [result] = await store.submit([submission({ needs: needs as never })])
      expect(result).toMatchObject({ outcome: 'refused', error: { details: { field } } })
    })

    it('is over when one of them will never come, and so is what needs its own', async () => {
      const { store } = await setup()
      const first = await submitOne(store, { retry: { maxAttempts: 1 } })
      const slot = await open(store)
      const waiting = await submitNeeding(store, [need(slot, '/b'), need(first, '/a')], { params: '{"a":0,"b":0}' })
      const behind = await submitNeeding(store, [need(waiting)])
      const told = await submitNeeding(store, [need(first, '/a')], {
        params: '{"a":0}',
        needs: { list: [need(first, '/a')], onFailure: 'run' },
      })
      await store.apply([failure(await claimOne(store), 'no luck')])
      const error = `upstream: ${first.job.name} failed: no luck`
      expect((await find(store, waiting)).job).toMatchObject({
        state: 'final',
        outcome: 'SKIPPED',
        cancelled: true,
        error,
      })
      expect((await find(store, behind)).job).toMatchObject({ outcome: 'SKIPPED', cancelled: true })
      expect(await store.runs(behind.job.id)).toMatchObject([{ status: 'SKIPPED', attempt: 0 }])
      const failed = { of: first.job.id, name: first.job.name, at: '/a', error: `${first.job.name} failed: no luck` }
      expect(await find(store, told)).toMatchObject({
        params: '{"a":null}',
        job: { phase: 'queued', upstream: [failed] },
      })
      const late = await submitNeeding(store, [need(first)])
      expect(late.job).toMatchObject({ state: 'final', outcome: 'SKIPPED' })
      await fill(store, slot)
      expect(await verify(store)).toEqual([])
    })

    it.each(['', 'x'])('says why it is over also where that is long and has to be cut: %j', async (before) => {
      const { store } = await setup()
      const first = await submitOne(store, { retry: { maxAttempts: 1 } })
      const waiting = await submitNeeding(store, [need(first)])
      await store.apply([failure(await claimOne(store), `${before}${'😀'.repeat(800)}`)])
      const { error } = (await find(store, waiting)).job
      expect(error?.isWellFormed()).toBe(true)
      expect(error).toContain(`${first.job.name} failed: ${before}😀`)
      expect(await verify(store)).toEqual([])
    })

    it('is over when what it needs is cancelled, skipped or expires', async () => {
      const { store } = await setup()
      const soon = Date.now() + 10
      const [cancelled, expired] = [await submitOne(store), await submitOne(store, { expiresAt: soon })]
      const slot = await open(store)
      const waiting = await Promise.all([cancelled, expired, slot].map((each) => submitNeeding(store, [need(each)])))
      await store.apply([cancel(cancelled)])
      await store.apply([{ job: expired.job.id, command: { type: 'elapse', random: 0 } }], { now: soon })
      await store.control('slot.fail', { slot: slot.id, error: 'nobody came' })
      const errors = (await Promise.all(waiting.map((job) => find(store, job)))).map(({ job }) => job.error)
      expect(errors).toEqual([
        `upstream: ${cancelled.job.name} was cancelled: test`,
        `upstream: ${expired.job.name} was skipped: expired`,
        `upstream: ${slot.path} has no value: nobody came`,
      ])
      expect(await verify(store)).toEqual([])
    })

    it('keeps what it needs from being pruned, until it has it', async () => {
      const { store } = await setup()
      const first = await submitOne(store)
      const slot = await open(store)
      const waiting = await submitNeeding(store, [need(first, '/a'), need(slot)], { params: '{"a":null}' })
      await complete(store, first, '5')
      const old = await submitOne(store)
      await complete(store, old, '5')
      expect(await pruneAll(store, Date.now() + 40 * day)).toBe(1)
      expect(await store.find([{ id: old.job.id }])).toEqual([null])
      await fill(store, slot)
      expect((await find(store, waiting)).params).toBe('{"a":5}')
      expect(await pruneAll(store, Date.now() + 80 * day)).toBe(1)
      expect(await verify(store)).toEqual([])
    })

    it('is over at once when what it needs is replaced in the same batch, and so is what needs it', async () => {
      const { store } = await setup()
      const old = await submitNeeding(store, [need(await open(store))], { name: '/test/pool' })
      const waiting = needing([need(old)])
      const behind = needing([{ of: waiting.id, at: null }])
      const results = await store.submit([
        behind,
        waiting,
        submission({ name: '/test/pool', onConflict: 'replace' }),
        submission(),
      ])
      expect(results.map(codeOfResult)).toEqual(['created', 'created', 'created', 'created'])
      for (const { id } of [waiting, behind]) {
        expect((await store.find([{ id }]))[0]?.job).toMatchObject({ outcome: 'SKIPPED', cancelled: true })
      }
      expect(await verify(store)).toEqual([])
    })

    it('still waits for the end of what it replaces when what it needs is replaced with it', async () => {
      const { store } = await setup()
      const running = await submitOne(store, { name: '/test/pool' })
      const held = await claimOne(store)
      const first = await submitNeeding(store, [need(await open(store))], { name: '/test/first' })
      const needs = { list: [need(first, '')], onFailure: 'run' } as const
      const [, next] = await store.submit([
        submission({ name: '/test/first', onConflict: 'replace', scheduledFor: Date.now() + 9_999_999 }),
        submission({ name: '/test/pool', onConflict: 'replace', needs }),
      ])
      expect(held.job.id).toBe(running.job.id)
      expect(accepted(next).job.phase).toBe('pending')
      expect(await store.claim(claimOf({ token: 'none' }))).toEqual([])
      await store.apply([completion(held)])
      expect((await claimOne(store)).job).toMatchObject({ id: accepted(next).job.id, upstream: [{ of: first.job.id }] })
      expect(await verify(store)).toEqual([])
    })

    it('leaves what it needs to nobody who takes its name', async () => {
      const { store } = await setup()
      const first = await submitOne(store, { name: '/test/first' })
      await submitNeeding(store, [need(first)], { name: '/test/pool' })
      const [, next] = await store.submit([
        submission({ name: '/test/first', onConflict: 'replace' }),
        submission({ name: '/test/pool', onConflict: 'replace' }),
      ])
      expect(accepted(next).job).toMatchObject({ phase: 'queued' })
      expect(await verify(store)).toEqual([])
    })

    it('cannot come before what it needs in a sequence', async () => {
      const { store } = await setup()
      const group = await store.control('group.create', { id: newId(), path: '/test/group', mode: 'sequential' })
      const [a, b] = [submission({ group: group.id }), submission({ group: group.id })]
      const early = { ...a, needs: { list: [{ of: b.id, at: null }] } }
      expect((await store.submit([early, b])).map(codeOfResult)).toEqual(['cycle', 'cycle'])
      const late = { ...b, needs: { list: [{ of: a.id, at: '' }] } }
      expect((await store.submit([a, late])).map(codeOfResult)).toEqual(['created', 'created'])
      expect(await codeOf(store.control('group.reorder', { group: group.id, jobIds: [b.id, a.id] }))).toBe('cycle')
      await store.control('group.reorder', { group: group.id, jobIds: [a.id, b.id] })
      await store.control('group.seal', { group: group.id })
      await store.apply([completion(await claimOne(store), '4')])
      expect((await claimOne(store)).params).toBe('4')
      expect(await verify(store)).toEqual([])
    })

    it('is the same job when its submission is repeated, before and after', async () => {
      const { store } = await setup()
      const slot = await open(store)
      const one = needing([need(slot, '/a')], { params: '{"a":null}' })
      expect((await store.submit([one])).map(codeOfResult)).toEqual(['created'])
      await fill(store, slot)
      expect((await store.submit([one])).map(codeOfResult)).toEqual(['kept'])
    })

    it('waits for its group, too, and leaves it when it is over', async () => {
      const { store } = await setup()
      const first = await submitOne(store)
      const group = await store.control('group.create', { id: newId(), path: '/test/group', mode: 'parallel' })
      const member = await submitNeeding(store, [need(first, '')], { group: group.id })
      const doomed = await submitNeeding(store, [need(await open(store, { path: '/test/never' }))], { group: group.id })
      await store.control('group.seal', { group: group.id })
      expect((await find(store, member)).job.phase).toBe('pending')
      await complete(store, first, '1')
      expect(await find(store, member)).toMatchObject({ params: '1', job: { phase: 'queued' } })
      await store.control('slot.fail', { slot: '/test/never', error: 'no' })
      expect((await find(store, doomed)).job).toMatchObject({ outcome: 'SKIPPED', cancelled: true })
      await complete(store, member, '2')
      expect(await store.control('group.get', { group: group.id })).toMatchObject({
        status: 'CANCELLED',
        counts: { total: 2, completed: 1, cancelled: 1 },
      })
      expect(await verify(store)).toEqual([])
    })
  })

  describe('a slot', () => {
    it('is filled once', async () => {
      const { store } = await setup()
      const slot = await open(store, { label: 'ok?' })
      expect(slot).toMatchObject({ status: 'OPEN', value: null, filledBy: null, label: 'ok?', version: 1 })
      expect(await fill(store, slot, '{"a":1,"b":2}')).toMatchObject({ status: 'FILLED', filledBy: 'me', version: 2 })
      expect(await fill(store, slot, '{"b":2,"a":1}')).toMatchObject({ value: '{"a":1,"b":2}', version: 2 })
      expect(await codeOf(fill(store, slot, '{"a":1}'))).toBe('slot_filled')
      expect(await codeOf(store.control('slot.fail', { slot: slot.id, error: 'late' }))).toBe('slot_filled')
      expect(await store.control('slot.get', { slot: slot.path })).toMatchObject({ id: slot.id, status: 'FILLED' })
    })

    it('leaves its path to the next one when it is settled, and not before', async () => {
      const { store } = await setup()
      const slot = await open(store, { path: '/test/one' })
      expect(await codeOf(open(store, { path: '/test/one' }))).toBe('path_taken')
      await fill(store, slot)
      const next = await open(store, { path: '/test/one' })
      expect(await store.control('slot.get', { slot: '/test/one' })).toMatchObject({ id: next.id, status: 'OPEN' })
      expect(await store.control('slot.get', { slot: slot.id })).toMatchObject({ status: 'FILLED' })
      const { items } = await store.control('slot.list', { path: '/test', withReleased: true, limit: 10 })
      expect(items.map(({ id }) => id)).toEqual([next.id, slot.id])
    })

    it('fills itself when its time has come', async () => {
      const { store } = await setup()
      const now = Date.now()
      const late = await open(store, { dueAt: now + 5_000, value: '"late"' })
      const soon = await open(store, { dueAt: now + 1_000 })
      const waiting = await submitNeeding(store, [need(soon, '/a'), need(late, '/b')], { params: '{"a":1,"b":1}' })
      expect(await store.control('slot.due', { skip: 0 }, { now })).toEqual({ isDue: false, nextInMs: 1_000 })
      const due = { isDue: true, nextInMs: null }
      expect(await store.control('slot.due', { skip: 0 }, { now: now + 1_000 })).toEqual(due)
      expect(await store.control('slot.due', { skip: 0 }, { now: now + 9_000 })).toEqual(due)
      expect(await store.control('slot.due', { skip: 0 }, { now: now + 9_000 })).toEqual({
        isDue: false,
        nextInMs: null,
      })
      expect((await find(store, waiting)).params).toBe('{"a":null,"b":"late"}')
      expect(await store.control('slot.get', { slot: late.id })).toMatchObject({
        filledBy: expect.stringMatching(/^clock/),
      })
      expect(await verify(store)).toEqual([])
    })

    it('of an attempt is refused once that has failed, and is told to those who wait for it', async () => {
      const { store } = await setup()
      await submitOne(store, { retry: { baseMs: 0 } })
      const maker = await claimOne(store)
      const parent = { jobId: maker.job.id, token: 't1' }
      const slot = await open(store, { path: '/test/mine', parent } as never)
      const kept = await open(store, { path: '/test/kept', parent } as never)
      await fill(store, kept, '1')
      const waiting = await submitNeeding(store, [need(slot)])
      await store.apply([failure(maker)])
      expect(await codeOf(fill(store, slot))).toBe('slot_closed')
      await followUp(store)
      expect(await store.control('slot.get', { slot: slot.id })).toMatchObject({ status: 'FAILED' })
      expect(await store.control('slot.get', { slot: kept.id })).toMatchObject({ status: 'FILLED' })
      expect(await store.control('slot.get', { slot: '/test/kept' })).toBeNull()
      expect((await find(store, waiting)).job).toMatchObject({ outcome: 'SKIPPED', cancelled: true })
      const again = await claimOne(store, { token: 't2' })
      expect(again.job).toMatchObject({ id: maker.job.id, attempt: 2 })
      expect(await codeOf(open(store, { path: '/test/mine', parent } as never))).toBe('stale_token')
      const mine = await open(store, { path: '/test/mine', parent: { ...parent, token: 't2' } } as never)
      await store.apply([completion(again)])
      expect(await fill(store, mine)).toMatchObject({ status: 'FILLED' })
      expect(await verify(store)).toEqual([])
    })
  })

  describe('an attempt that gives the value of another as its result', () => {
    it.each(['before', 'after', 'together with'])('has it when that ends %s it', async (when) => {
      const { store } = await setup()
      await submitOne(store)
      const parent = await claimOne(store, { token: 'p' })
      const of = { jobId: parent.job.id, token: 'p' }
      const child = await submitOne(store, { parent: of })
      const running = await claimOne(store, { token: 'c' })
      const ends = [returning(parent, child.job.id), completion(running, '{"n":1}')]
      if (when === 'together with') await store.apply(ends)
      else for (const end of when === 'before' ? [...ends].reverse() : ends) await store.apply([end])
      expect(await find(store, parent)).toMatchObject({
        result: '{"n":1}',
        job: { state: 'final', outcome: 'COMPLETED', attempt: 1 },
      })
      expect(await verify(store)).toEqual([])
    })

    it('has it from a slot, and holds no worker meanwhile', async () => {
      const { store } = await setup()
      await submitOne(store)
      const parent = await claimOne(store)
      const slot = await open(store)
      await store.apply([returning(parent, slot.id)])
      expect((await find(store, parent)).job).toMatchObject({ phase: 'awaiting', output: slot.id })
      const many = await submitNeeding(store, [need(parent), need(slot), need(await open(store))])
      expect(await store.control('slot.awaited', { jobs: [parent.job.id, many.job.id], limit: 2 })).toEqual([
        { names: [slot.path], count: 1 },
        { names: [parent.job.name, slot.path], count: 3 },
      ])
      expect(await verify(store)).toEqual([])
      await fill(store, slot, '[1]')
      expect(await find(store, parent)).toMatchObject({ result: '[1]', job: { outcome: 'COMPLETED' } })
      expect(await verify(store)).toEqual([])
    })

    it('fails for good when it cannot come, and takes its other children with it', async () => {
      const { store } = await setup()
      await submitOne(store)
      const parent = await claimOne(store, { token: 'p' })
      const of = { jobId: parent.job.id, token: 'p' }
      const child = await submitOne(store, { parent: of, retry: { maxAttempts: 1 } })
      const other = await submitOne(store, { parent: of, scheduledFor: Date.now() + 9_999_999 })
      const running = await claimOne(store, { token: 'c' })
      await store.apply([returning(parent, child.job.id)])
      await store.apply([failure(running, 'no luck')])
      const error = `${child.job.name} failed: no luck`
      expect((await find(store, parent)).job).toMatchObject({ state: 'final', outcome: 'FAILED', attempt: 1, error })
      await followUp(store)
      expect((await find(store, other)).job).toMatchObject({ state: 'final', cancelled: true })
      expect(await verify(store)).toEqual([])
    })

    it('is refused what waits for it, what it does not know, and what another namespace has', async () => {
      const { store } = await setup()
      await submitOne(store)
      const parent = await claimOne(store, { token: 'p' })
      const child = await submitNeeding(store, [need(parent)])
      const grandchild = await submitNeeding(store, [need(child)])
      const foreign = await submitOne(store, { name: '/other/job' })
      const outputs = [parent, child, grandchild, foreign].map(({ job }) => job.id)
      const results = []
      for (const output of [...outputs, newId()])
        results.push(...(await store.apply([returning(await find(store, parent), output)])))
      expect(results.map(codeOfResult)).toEqual(['cycle', 'cycle', 'cycle', 'invalid_argument', 'invalid_argument'])
      await store.apply([completion(await find(store, parent), '1')])
      expect((await find(store, child)).job.phase).toBe('queued')
      expect(await verify(store)).toEqual([])
    })

    it('leaves the limits of its path to those it waits for', async () => {
      const { store } = await setup()
      await store.setLimit({ key: '/test', concurrency: 1 })
      await submitOne(store, { name: '/test/parent' })
      const parent = await claimOne(store, { token: 'p' })
      const child = await submitOne(store, { name: '/test/parent/child', parent: { jobId: parent.job.id, token: 'p' } })
      expect(await store.claim(claimOf({ token: 'none' }))).toEqual([])
      await store.apply([returning(parent, child.job.id)])
      await complete(store, child, '1')
      expect((await find(store, parent)).job).toMatchObject({ outcome: 'COMPLETED' })
      expect(await store.limits()).toMatchObject([{ held: 0, waiting: 0 }])
      expect(await verify(store)).toEqual([])
    })

    it('waits no longer when it is cancelled', async () => {
      const { store } = await setup()
      await submitOne(store)
      const parent = await claimOne(store)
      const slot = await open(store)
      await store.apply([returning(parent, slot.id)])
      await store.apply([cancel(parent.job.id)])
      expect(await verify(store)).toEqual([])
      await fill(store, slot)
      expect((await find(store, parent)).job).toMatchObject({ state: 'final', cancelled: true, resultDigest: null })
    })
  })

  describe('many', () => {
    it('wait for one, and all go on, page by page', async () => {
      const { store } = await setup()
      const slot = await open(store)
      await store.submit(times(1_200, () => needing([need(slot, '')])))
      await fill(store, slot, '3')
      expect(await verify(store)).toEqual([])
      await followUp(store)
      const { jobs } = await store.list({ status: 'queued', limit: 1_000 } as never)
      expect(jobs.every(({ params, job }) => params === '3' && job.phase === 'queued')).toBe(true)
      expect(await store.queue({ limit: 2_000 } as never)).toHaveLength(1_200)
      expect(await verify(store)).toEqual([])
    })

    it('are needed by one, and the last two that end at once let it go on, once', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 4)
      const { store } = fixture
      for (let round = 0; round < 8; round++) {
        const parts = (await store.submit(times(8, () => submission()))).map(accepted)
        const slots = await Promise.all(times(4, () => open(store)))
        const list = [...parts, ...slots].map((each, i) => need(each, `/${i}`))
        const whole = await submitNeeding(store, list, { params: JSON.stringify(list.map(() => null)) })
        const claimed = await store.claim(claimOf({ token: newId() }))
        await Promise.all([
          ...claimed.map((job, i) => at(stores, i).apply([completion(job, `${i}`)])),
          ...slots.map((slot, i) => fill(at(stores, i), slot, `"${i}"`)),
        ])
        const ready = await find(store, whole)
        expect(ready.job.phase).toBe('queued')
        expect(JSON.parse(ready.params ?? '').slice(8)).toEqual(['0', '1', '2', '3'])
        expect([...JSON.parse(ready.params ?? '').slice(0, 8)].sort()).toEqual(times(8, (i) => i))
        await complete(store, whole, '1')
      }
      expect(await verify(store)).toEqual([])
    })

    it('are built together or not at all', async () => {
      const { store } = await setup()
      await submitOne(store)
      const held = await claimOne(store, { token: 'p' })
      const page = { job: held.job.id, token: 'p' }
      const slot = { id: newId(), path: '/test/approval' }
      const [a, b] = [submission(), needing([{ of: slot.id, at: '' }])]
      const broken = needing([{ of: newId(), at: null }])
      const build = (jobs: readonly Submission[]) => store.control('pipeline.build', { ...page, slots: [slot], jobs })
      expect(await codeOf(build([a, b, broken]))).toBe('not_found')
      expect(await codeOf(store.control('pipeline.build', { ...page, token: 'x', slots: [], jobs: [] }))).toBe(
        'stale_token',
      )
      expect(await store.find([{ id: a.id }, { id: b.id }])).toEqual([null, null])
      expect(await store.control('slot.get', { slot: slot.id })).toBeNull()
      await build([b, a])
      await store.control('slot.fill', { slot: slot.id, value: '9', by: 'me' })
      expect((await store.find([{ id: b.id }]))[0]?.params).toBe('9')
      expect(await verify(store)).toEqual([])
    })
  })
}
