import { describe, expect, it } from 'vitest'
import type { BackfillInput, NewSchedule } from '../../src/store/controls.ts'
import type { Store } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { newId, type Setup } from '../support/fixture.ts'
import { openStores, times } from '../support/racing.ts'
import { claimOf, codeOf, completion, failure } from '../support/requests.ts'

const minute = 60_000
const noon = Date.UTC(2026, 0, 1, 12)

/** On PostgreSQL the newest events are seen when all transactions that began before have ended, in whatever database. */
const patience = { timeout: 30_000 }

export function scheduleContract(setup: Setup): void {
  const create = (store: Store, fields: Partial<NewSchedule> = {}, now = noon) => {
    const given = { id: newId(), path: '/t/tick', type: 'work', intervalMs: minute, ...fields }
    return store.control('schedule.create', given, { now })
  }
  const fireAll = async (store: Store, now: number) => {
    for (let count = 0; ; count++) {
      const { isDue } = await store.control('schedule.fire', {}, { now })
      if (!isDue) return count
    }
  }
  const jobs = async (store: Store) => (await store.list({ limit: 1_000 })).jobs.toReversed()
  const names = async (store: Store) => (await jobs(store)).map(({ job }) => job.name.replace('/t/tick/20260101T', ''))
  const get = async (store: Store, schedule = '/t/tick') => await store.control('schedule.get', { schedule })
  const typesInLog = async (store: Store) => {
    const { entries } = await store.events({ limit: 1_000 })
    return entries.map(({ eventType }) => eventType).filter((type) => type.startsWith('schedule.'))
  }

  describe('schedules', () => {
    it('make one job for each instant, below their path, and tell what they did', async () => {
      const { store } = await setup()
      const created = await create(store)
      expect(created).toMatchObject({ status: 'ENABLED', nextTriggerAt: noon + minute, lastTriggeredAt: null })
      expect(await fireAll(store, noon + minute - 1)).toBe(0)
      for (const i of [1, 2, 3]) expect(await fireAll(store, noon + i * minute + 5)).toBe(1)
      expect(await names(store)).toEqual(['120100Z', '120200Z', '120300Z'])
      const [first] = await jobs(store)
      expect(first?.job).toMatchObject({ scheduleId: created.id, scheduledFor: noon + minute, type: 'work' })
      expect(await get(store)).toMatchObject({ lastTriggeredAt: noon + 3 * minute, nextTriggerAt: noon + 4 * minute })
      await expect.poll(() => typesInLog(store), patience).toHaveLength(5)
      const { entries } = await store.events({ limit: 100 })
      const fired = entries.find(({ eventType }) => eventType === 'schedule.fired')
      expect(fired?.attributes).toMatchObject({
        path: '/t/tick',
        at: noon + minute,
        jobId: first?.job.id,
        outcome: 'created',
      })
      expect(await verify(store)).toEqual([])
    })

    it('tell how long it is to the next', async () => {
      const { store } = await setup()
      expect(await store.control('schedule.fire', {}, { now: noon })).toEqual({ isDue: false, nextInMs: null })
      await create(store)
      await create(store, { path: '/t/later', intervalMs: 10 * minute })
      expect(await store.control('schedule.fire', {}, { now: noon })).toEqual({ isDue: false, nextInMs: minute })
    })

    it('fire once for an instant, whoever fires and however many', async () => {
      const opened = await setup()
      const stores = await openStores(opened, 5)
      for (const i of times(4, (n) => n)) await create(opened.store, { path: `/t/tick${i}` })
      for (const round of [1, 2, 3]) {
        const now = noon + round * minute
        await Promise.all(stores.flatMap((store) => times(3, () => fireAll(store, now))))
      }
      expect((await jobs(opened.store)).map(({ job }) => job.name).sort()).toHaveLength(12)
      expect(new Set((await jobs(opened.store)).map(({ job }) => job.name)).size).toBe(12)
      expect(await verify(opened.store)).toEqual([])
    })

    it('pass over one that cannot be read, so that the others fire', async () => {
      const { store, raw } = await setup()
      await create(store, { path: '/t/broken' })
      await create(store)
      if (
        !(await raw(`update records set body = 'x' where path = '/t/broken'`).then(
          () => true,
          () => false,
        ))
      )
        return
      expect(await codeOf(store.control('schedule.fire', {}, { now: noon + minute }))).not.toBeNull()
      const input = { skip: 1 }
      expect(await store.control('schedule.fire', input, { now: noon + minute })).toMatchObject({ isDue: true })
      expect(await store.control('schedule.fire', input, { now: noon + minute })).toMatchObject({
        isDue: false,
        nextInMs: minute,
      })
      expect(await names(store)).toEqual(['120100Z'])
    })

    it('catch up as they say', async () => {
      const { store } = await setup()
      const modes = {
        none: { mode: 'none' },
        latest: { mode: 'latest' },
        all: { mode: 'all', windowMs: 5 * minute, max: 100 },
        few: { mode: 'all', windowMs: 60 * minute, max: 3 },
      } as const
      for (const [name, catchUp] of Object.entries(modes)) await create(store, { path: `/t/${name}`, catchUp })
      const late = noon + 20 * minute + 1_000
      await fireAll(store, late)
      const madeBy = async (name: string) => {
        const made = (await jobs(store)).filter(({ job }) => job.name.startsWith(`/t/${name}/`))
        return made.map(({ job }) => (job.scheduledFor - noon) / minute)
      }
      expect(await madeBy('none')).toEqual([20])
      expect(await madeBy('latest')).toEqual([20])
      expect(await madeBy('all')).toEqual([16, 17, 18, 19, 20])
      expect(await madeBy('few')).toEqual([18, 19, 20])
      await expect
        .poll(async () => (await typesInLog(store)).filter((type) => type === 'schedule.missed'), patience)
        .toHaveLength(4)
      expect(await get(store, '/t/all')).toMatchObject({ nextTriggerAt: noon + 21 * minute })
      // Nobody was there for long, so that even the latest is not just late.
      await create(store, { path: '/t/hourly', cron: '30 * * * *', intervalMs: null, catchUp: { mode: 'none' } }, late)
      await fireAll(store, noon + 50 * minute)
      expect(await madeBy('hourly')).toEqual([])
      expect(await get(store, '/t/hourly')).toMatchObject({ nextTriggerAt: noon + 90 * minute })
    })

    it('fire many instants by page, and a year of minutes by search', async () => {
      const { store } = await setup()
      await create(store, { catchUp: { mode: 'all', windowMs: 3_660 * 86_400_000, max: 250 } })
      const later = noon + 365 * 86_400_000
      expect(await fireAll(store, later)).toBe(3)
      const made = await jobs(store)
      expect(made).toHaveLength(250)
      expect(made.at(-1)?.job.scheduledFor).toBe(later)
      expect(made[0]?.job.scheduledFor).toBe(later - 249 * minute)
    })

    it('put jobs off by their jitter, within its bounds and each by its own', async () => {
      const { store } = await setup()
      await create(store, { jitterMs: 30_000 })
      for (const i of times(20, (n) => n + 1)) await fireAll(store, noon + i * minute)
      const shifts = (await jobs(store)).map(({ job }, i) => job.scheduledFor - noon - (i + 1) * minute)
      expect(Math.min(...shifts)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...shifts)).toBeLessThanOrEqual(30_000)
      expect(new Set(shifts).size).toBeGreaterThan(15)
    })

    it('are created, enabled, disabled and deleted, without a storm after a pause', async () => {
      const { store } = await setup()
      await create(store, { enabled: false })
      expect(await get(store)).toMatchObject({ status: 'CREATED', nextTriggerAt: null })
      expect(await fireAll(store, noon + 9 * minute)).toBe(0)
      const call = (name: 'enable' | 'disable' | 'delete', now: number) => {
        return store.control(`schedule.${name}`, { schedule: '/t/tick' }, { now })
      }
      expect(await call('enable', noon + 10 * minute + 1)).toMatchObject({ nextTriggerAt: noon + 11 * minute })
      expect(await call('enable', noon + 10 * minute + 2)).toMatchObject({ version: 2 })
      await fireAll(store, noon + 11 * minute)
      expect(await call('disable', noon + 12 * minute)).toMatchObject({ status: 'DISABLED', nextTriggerAt: null })
      expect(await fireAll(store, noon + 400 * minute)).toBe(0)
      await call('enable', noon + 400 * minute + 1)
      await fireAll(store, noon + 401 * minute)
      expect(await names(store)).toEqual(['121100Z', '184100Z'])
      const { id } = await call('delete', noon + 402 * minute)
      expect(await get(store)).toBeNull()
      expect(await get(store, id)).toMatchObject({ status: 'DELETED', nextTriggerAt: null })
      expect(await fireAll(store, noon + 500 * minute)).toBe(0)
      expect(await codeOf(store.control('schedule.enable', { schedule: id }))).toBe('illegal_transition')
      await create(store)
      await expect
        .poll(() => typesInLog(store), patience)
        .toEqual([
          'schedule.created',
          ...['schedule.enabled', 'schedule.fired', 'schedule.disabled', 'schedule.enabled', 'schedule.fired'],
          ...['schedule.deleted', 'schedule.created', 'schedule.enabled'],
        ])
    })

    it('end when their time is over', async () => {
      const { store } = await setup()
      await create(store, { startAt: noon + 2 * minute, endAt: noon + 3 * minute })
      for (const i of times(6, (n) => n)) await fireAll(store, noon + i * minute)
      expect(await names(store)).toEqual(['120200Z', '120300Z'])
      expect(await get(store)).toMatchObject({ status: 'ENABLED', nextTriggerAt: null })
    })

    it('are changed: new times hold at once, and what is due is not lost', async () => {
      const { store } = await setup()
      await create(store, { params: { a: 1, b: 1 }, priority: 3 })
      const change = (changes: object, now: number) => {
        return store.control('schedule.change', { schedule: '/t/tick', changes }, { now })
      }
      expect(await change({ intervalMs: 5 * minute }, noon + 1)).toMatchObject({ nextTriggerAt: noon + 5 * minute })
      expect(await change({ cron: '*/10 * * * *' }, noon + 5 * minute + 1)).toMatchObject({
        timing: { cron: '*/10 * * * *' },
        nextTriggerAt: noon + 10 * minute,
      })
      await change({ params: { b: 2 } }, noon + 10 * minute + 1)
      expect(await change({}, noon + 10 * minute + 1)).toMatchObject({ version: 5, nextTriggerAt: noon + 10 * minute })
      await change({ timezone: 'Europe/Berlin' }, noon + 10 * minute + 2)
      await fireAll(store, noon + 10 * minute + 3)
      expect(await names(store)).toEqual(['121000Z'])
      expect((await jobs(store))[0]).toMatchObject({ params: '{"b":2}', job: { priority: 3 } })
    })

    it('make jobs of templates, over which their own words go, until the template is archived', async () => {
      const { store } = await setup()
      const template = {
        id: newId(),
        path: '/t/tpl',
        type: 'report',
        params: { a: 1, b: 1 },
        priority: 1,
        timeoutMs: 5,
      }
      const { id } = await store.control('template.create', template, { now: noon })
      const schedule = { type: null, template: '/t/tpl', params: { b: 2 }, priority: 2, expiresInMs: 500 }
      await create(store, schedule)
      await fireAll(store, noon + minute)
      const [made] = await jobs(store)
      expect(made?.job).toMatchObject({ templateId: id, type: 'report', priority: 2, timeoutMs: 5 })
      expect(made?.job.expiresAt).toBe(noon + minute + 500)
      expect(made?.params).toBe('{"a":1,"b":2}')
      await store.control('template.archive', { template: id }, { now: noon + minute })
      await fireAll(store, noon + 2 * minute)
      expect(await get(store)).toMatchObject({ status: 'DISABLED', blocked: 'the template is archived' })
      expect(await jobs(store)).toHaveLength(1)
      expect(await codeOf(store.control('schedule.enable', { schedule: '/t/tick' }))).toBe('template_archived')
      expect(await codeOf(store.control('schedule.trigger', { schedule: '/t/tick' }))).toBe('template_archived')
      await expect.poll(async () => (await typesInLog(store)).at(-1), patience).toBe('schedule.blocked')
    })

    it('go on when a job cannot be made, and say why', async () => {
      const { store } = await setup()
      await create(store)
      await store.submit([{ id: newId(), name: '/t/tick/20260101T120100Z', type: 'work' }], { now: noon })
      await fireAll(store, noon + minute)
      await fireAll(store, noon + 2 * minute)
      await expect.poll(() => typesInLog(store), patience).toHaveLength(4)
      const { entries } = await store.events({ limit: 100 })
      const fired = entries.filter(({ eventType }) => eventType === 'schedule.fired')
      expect(fired.map(({ attributes }) => attributes['outcome'])).toEqual(['refused', 'created'])
      expect(fired[0]?.attributes['error']).toMatch(/name/)
      expect(await get(store)).toMatchObject({ status: 'ENABLED' })
    })

    it('are triggered by hand, beside their times', async () => {
      const { store } = await setup()
      await create(store, { enabled: false, overlap: 'skip' })
      const trigger = (overlap?: 'allow') => {
        const input = { schedule: '/t/tick', ...(overlap === undefined ? {} : { overlap }) }
        return store.control('schedule.trigger', input, { now: noon + 5 })
      }
      expect(await trigger()).toMatchObject({ at: noon + 5, outcome: 'created' })
      expect(await trigger()).toMatchObject({ at: noon + 6, outcome: 'skipped' })
      expect(await trigger('allow')).toMatchObject({ at: noon + 7, outcome: 'created' })
      expect((await jobs(store)).map(({ job }) => job.outcome)).toEqual([null, 'SKIPPED', null])
    })
  })

  describe('overlap of a schedule', () => {
    const tick = (store: Store, i: number) => fireAll(store, noon + i * minute)
    const claim = async (store: Store, i: number) => {
      const [job] = await store.claim(claimOf({ now: noon + i * minute, token: `t${i}`, limit: 1 }))
      return job as NonNullable<typeof job>
    }
    const shown = async (store: Store) => (await jobs(store)).map(({ job }) => job.outcome ?? job.phase)

    it('allow: jobs run beside each other', async () => {
      const { store } = await setup()
      await create(store)
      for (const i of [1, 2, 3]) await tick(store, i)
      expect(await shown(store)).toEqual(['queued', 'queued', 'queued'])
    })

    it('skip: a fire is skipped while one lives, also while it waits to be tried again', async () => {
      const { store } = await setup()
      await create(store, { overlap: 'skip', retry: { baseMs: 1_000_000 } })
      await tick(store, 1)
      const running = await claim(store, 1)
      await tick(store, 2)
      await store.apply([failure(running, 'boom')], { now: noon + 2 * minute })
      await tick(store, 3)
      expect(await shown(store)).toEqual(['FAILED', 'SKIPPED', 'SKIPPED'])
      const [runs] = await Promise.all([store.runs((await jobs(store))[1]?.job.id ?? '')])
      expect(runs).toMatchObject([{ status: 'SKIPPED', reason: expect.stringMatching(/^overlap: /) }])
      await store.apply([{ job: running.job.id, command: { type: 'cancel', reason: 'x' } }], { now: noon + 3 * minute })
      await tick(store, 4)
      expect(await shown(store)).toEqual(['FAILED', 'SKIPPED', 'SKIPPED', 'queued'])
      expect(await verify(store)).toEqual([])
    })

    it('queue-one: one waits for the end of what runs, more are skipped', async () => {
      const { store } = await setup()
      await create(store, { overlap: 'queue-one' })
      await tick(store, 1)
      const running = await claim(store, 1)
      await tick(store, 2)
      await tick(store, 3)
      expect(await shown(store)).toEqual(['running', 'pending', 'SKIPPED'])
      expect(await store.claim(claimOf({ now: noon + 3 * minute, token: 'none' }))).toEqual([])
      await store.apply([completion(running)], { now: noon + 3 * minute })
      expect((await claim(store, 3)).job.scheduledFor).toBe(noon + 2 * minute)
      await tick(store, 4)
      expect(await shown(store)).toEqual(['COMPLETED', 'running', 'SKIPPED', 'pending'])
      expect(await verify(store)).toEqual([])
    })

    it('cancel-running: what lives is asked to end, and the next one begins after it', async () => {
      const { store } = await setup()
      await create(store, { overlap: 'cancel-running' })
      await tick(store, 1)
      const running = await claim(store, 1)
      await tick(store, 2)
      expect((await store.find([{ id: running.job.id }]))[0]?.job.cancelReason).toMatch(/^overlap/)
      await tick(store, 3)
      expect(await shown(store)).toEqual(['running', 'final', 'pending'])
      const ending = { kind: 'failed', error: 'stopped', terminal: false, random: 0 } as const
      const token = running.job.token ?? ''
      await store.apply([{ job: running.job.id, command: { type: 'finish', token, ending } }], {
        now: noon + 3 * minute,
      })
      expect((await claim(store, 3)).job.scheduledFor).toBe(noon + 3 * minute)
      expect(await verify(store)).toEqual([])
    })
  })

  describe('backfill of a schedule', () => {
    const backfill = (store: Store, fields: Partial<BackfillInput> = {}) => {
      const range = { schedule: '/t/tick', from: noon + minute, to: noon + 4 * minute, limit: 100 }
      return store.control('schedule.backfill', { ...range, ...fields }, { now: noon + 9 * minute })
    }
    const actions = async (store: Store, fields: Partial<BackfillInput> = {}) => {
      return (await backfill(store, fields)).items.map(({ action }) => action).join(' ')
    }

    it('gives the jobs of instants that have passed their time from now on', async () => {
      const { store } = await setup()
      await create(store, { enabled: false, expiresInMs: minute, deadlineInMs: 2 * minute })
      await backfill(store, { to: noon + minute })
      const [claimed] = await store.claim(claimOf({ now: noon + 9 * minute }))
      expect(claimed?.job).toMatchObject({ expiresAt: noon + 10 * minute, deadlineAt: noon + 11 * minute })
    })

    it('fires for instants that have passed, once, and tells before what it would do', async () => {
      const { store } = await setup()
      await create(store, { enabled: false })
      expect(await actions(store, { dryRun: true })).toBe('run run run run')
      expect(await jobs(store)).toEqual([])
      expect(await actions(store, { to: noon + 2 * minute })).toBe('run run')
      expect(await actions(store)).toBe('keep keep run run')
      expect(await actions(store, { reprocess: 'all' })).toBe('keep keep keep keep')
      expect(await names(store)).toEqual(['120100Z', '120200Z', '120300Z', '120400Z'])
    })

    it('does again what failed, or all', async () => {
      const { store } = await setup()
      await create(store, { enabled: false })
      await backfill(store, { to: noon + 2 * minute })
      const claimed = await store.claim(claimOf({ now: noon + 9 * minute }))
      const [good, bad] = claimed
      await store.apply([completion(good as never), failure(bad as never, 'boom', { terminal: true })])
      expect(await actions(store, { reprocess: 'failed', dryRun: true })).toBe('keep again run run')
      const { items } = await backfill(store, { reprocess: 'failed', to: noon + 2 * minute })
      const again = (await store.find([{ id: items[1]?.jobId ?? '' }]))[0]
      expect(again?.job).toMatchObject({ retryOf: bad?.job.id, name: bad?.job.name, phase: 'queued' })
      expect(await actions(store, { reprocess: 'all', to: noon + 2 * minute })).toBe('again keep')
      expect(await verify(store)).toEqual([])
    })

    it('leaves nothing to fire for an instant that is due and not yet fired', async () => {
      const { store } = await setup()
      await create(store)
      const input = { schedule: '/t/tick', from: noon, to: noon + minute, limit: 9 }
      await store.control('schedule.backfill', input, { now: noon + minute })
      await fireAll(store, noon + minute)
      expect(await names(store)).toEqual(['120000Z', '120100Z'])
      await expect
        .poll(async () => (await typesInLog(store)).filter((type) => type === 'schedule.fired'), patience)
        .toHaveLength(2)
      expect(await get(store)).toMatchObject({ nextTriggerAt: noon + 2 * minute })
    })

    it('goes by page', async () => {
      const { store } = await setup()
      await create(store, { enabled: false })
      const first = await backfill(store, { limit: 3 })
      expect([first.items.length, first.next]).toEqual([3, noon + 3 * minute])
      const rest = await backfill(store, { limit: 3, after: first.next })
      expect([rest.items.length, rest.next]).toEqual([1, null])
    })
  })

  it('schedules refuse what is wrong, field by field, and write nothing then', async () => {
    const { store } = await setup()
    await store.control('template.create', { id: newId(), path: '/t/old', type: 'x' })
    await store.control('template.archive', { template: '/t/old' })
    const cron = (text: string) => ({ intervalMs: null, cron: text })
    const wrong: readonly [object, string][] = [
      [{ path: 'tick' }, 'invalid_name'],
      [{ id: 'x' }, 'invalid_id'],
      [{ type: null }, 'invalid_argument'],
      [{ template: '/t/none', type: null }, 'not_found'],
      [{ template: '/t/old', type: null }, 'not_found'],
      [{ timezone: 'Mars/Olympus' }, 'invalid_schedule'],
      [cron('61 * * * *'), 'invalid_schedule'],
      [cron('0 0 30 2 *'), 'invalid_schedule'],
      [cron('* * *'), 'invalid_schedule'],
      [{ intervalMs: 0 }, 'invalid_schedule'],
      [{ intervalMs: null }, 'invalid_schedule'],
      [{ startAt: 2_000, endAt: 1_000 }, 'invalid_schedule'],
      [{ endAt: noon - 1 }, 'invalid_schedule'],
      [{ ...cron('30 2 * 3 SUNL'), timezone: 'Europe/Berlin', gap: 'skip' }, 'invalid_schedule'],
      [{ overlap: 'maybe' }, 'invalid_argument'],
      [{ catchUp: { mode: 'some' } }, 'invalid_argument'],
      [{ catchUp: { mode: 'all', max: 0 } }, 'invalid_argument'],
      [{ jitterMs: -1 }, 'invalid_argument'],
      [{ priority: 'high' }, 'invalid_argument'],
      [{ params: 'x' }, 'invalid_argument'],
      [{ enabled: 'yes' }, 'invalid_argument'],
      [{ colour: 'red' }, 'invalid_argument'],
    ]
    for (const [fields, code] of wrong) expect([fields, await codeOf(create(store, fields))]).toEqual([fields, code])
    await expect.poll(() => typesInLog(store), patience).toEqual([])
    await create(store)
    expect(await codeOf(create(store))).toBe('path_taken')
    const change = (changes: object) => store.control('schedule.change', { schedule: '/t/tick', changes })
    expect(await codeOf(change({ endAt: 1, startAt: 2 }))).toBe('invalid_schedule')
    expect(await codeOf(change({ template: '/t/none' }))).toBe('not_found')
    const fill = (fields: object) => {
      const range = { schedule: '/t/tick', from: 0, to: 1, limit: 10 }
      return codeOf(store.control('schedule.backfill', { ...range, ...fields }, { now: noon }))
    }
    expect(await fill({ to: noon + 1 })).toBe('invalid_argument')
    expect(await fill({ from: 2 })).toBe('invalid_argument')
    expect(await fill({ reprocess: 'some' })).toBe('invalid_argument')
    expect(await fill({ schedule: '/t/none' })).toBe('not_found')
  })
}
