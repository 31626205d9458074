import { describe, expect, it } from 'vitest'
import { newAwaits } from '../../src/core/job/awaits.ts'
import type { NewEvent } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'
import { claimOne, completion, finish } from '../support/requests.ts'

function outside(id: string, fields: Partial<NewEvent> = {}): NewEvent {
  return { namespace: 'test', source: 'shop', id, type: 'order.paid', ...fields }
}

export function eventsContract(setup: Setup): void {
  describe('events from outside', () => {
    it('are recorded once; a second delivery changes nothing, even with other content', async () => {
      const { store, raw } = await setup()
      const first = await store.append([outside('1', { attributes: { n: 1 } }), outside('2'), outside('1')])
      const again = await store.append([outside('1', { attributes: { n: 99 } }), outside('3')])
      expect([...first, ...again].map(({ outcome }) => outcome)).toEqual([
        ...['recorded', 'recorded', 'duplicate'],
        ...['duplicate', 'recorded'],
      ])
      const entries = await readAll({ store, raw })
      expect(entries.map(({ eventId, attributes }) => [eventId, attributes])).toEqual([
        ['1', { n: 1 }],
        ['2', {}],
        ['3', {}],
      ])
    })

    it('are unique by namespace, source and id together', async () => {
      const { store } = await setup()
      const results = await store.append([
        outside('1'),
        outside('1', { source: 'other' }),
        outside('1', { namespace: 'elsewhere' }),
        outside('1', { type: 'another.type' }),
      ])
      expect(results.map(({ outcome }) => outcome)).toEqual(['recorded', 'recorded', 'recorded', 'duplicate'])
    })

    it('keep all that their sender said', async () => {
      const { store, raw } = await setup()
      const said = {
        occurredAt: 77,
        jobId: 'p:d:test:some-other-job',
        taskId: 'p:d:test:some-other-job-task-3',
        executionId: 'e',
        traceId: 't',
        spanId: 's',
        attributes: { deep: { list: [1, 'ü', null] } },
      }
      await store.append([outside('1', said)], { now: 5_000 })
      const entries = await readAll({ store, raw })
      const stored = {
        eventId: '1',
        eventType: 'order.paid',
        source: 'shop',
        namespace: 'test',
        version: null,
        receivedAt: 5_000,
      }
      expect(entries[0]).toMatchObject({ ...said, ...stored })
    })

    it('cannot use the names of the catalogue', async () => {
      const { store, raw } = await setup()
      const results = await store.append([outside('1', { type: 'job.cancelled' }), outside('2', { type: 'worker.x' })])
      expect(results.map((r) => ('error' in r ? r.error.code : r.outcome))).toEqual([
        'reserved_event_type',
        'reserved_event_type',
      ])
      expect(await readAll({ store, raw })).toEqual([])
    })

    it('complete a job that awaits them, in any order, each counted once', async () => {
      const { store } = await setup()
      const events = [
        { eventType: 'order.paid', match: { ok: true }, times: 2, taskId: null },
        { eventType: 'order.sent', match: {}, times: 1, taskId: null },
      ]
      await submitOne(store, { awaits: { events } })
      const claimed = await claimOne(store)
      await store.apply([finish(claimed, { kind: 'suspended', awaits: null, until: null })])
      const jobId = claimed.job.id
      const paid = (id: string, ok: boolean) => outside(id, { jobId, attributes: { ok } })
      await store.append([
        outside('s', { jobId, type: 'order.sent' }),
        paid('1', true),
        paid('1', true),
        paid('2', false),
      ])
      expect((await store.find([{ id: jobId }]))[0]?.job.phase).toBe('awaiting')
      expect(await verify(store)).toEqual([])
      await store.append([paid('3', true), paid('4', true)])
      const [done] = await store.find([{ id: jobId }])
      expect(done?.job).toMatchObject({ state: 'final', outcome: 'COMPLETED', awaits: null })
      await store.append([paid('5', true)])
      expect((await store.find([{ id: jobId }]))[0]).toEqual(done)
      expect(await verify(store)).toEqual([])
    })

    it('count while the job is queued or running, also before it said what it awaits', async () => {
      const { store } = await setup()
      const { job } = await submitOne(store)
      const jobRunId = `p::test:${job.id}`
      await store.append([outside('1', { jobId: jobRunId })])
      const claimed = await claimOne(store)
      await store.append([outside('2', { jobId: job.id })])
      const awaits = newAwaits([{ eventType: 'order.paid', match: {}, times: 2, taskId: null }], [])
      await store.apply([finish(claimed, { kind: 'suspended', awaits, until: null })])
      expect((await store.find([{ id: job.id }]))[0]?.job.outcome).toBe('COMPLETED')
      expect(await verify(store)).toEqual([])
    })

    it('count for a queued job without taking it out of the queue', async () => {
      const { store } = await setup()
      const awaits = { events: [{ eventType: 'order.paid', match: {}, times: 3, taskId: null }] }
      const { job } = await submitOne(store, { awaits })
      await store.append([outside('1', { jobId: job.id }), outside('2', { jobId: job.id })])
      expect(await verify(store)).toEqual([])
      const claimed = await claimOne(store)
      await store.append([outside('3', { jobId: job.id })])
      expect(await verify(store)).toEqual([])
      expect((await store.find([{ id: job.id }]))[0]?.job).toMatchObject({
        phase: 'running',
        awaits: { decided: 'complete' },
      })
      const [result] = await store.apply([finish(claimed, { kind: 'suspended', awaits: null, until: null })])
      expect(result).toMatchObject({ ok: true, stored: { job: { outcome: 'COMPLETED' } } })
      expect(await verify(store)).toEqual([])
    })

    it('fail the job for good when it says so', async () => {
      const { store } = await setup()
      await submitOne(store, { awaits: { events: [], failOn: ['order.refused'] } })
      const claimed = await claimOne(store)
      await store.apply([finish(claimed, { kind: 'suspended', awaits: null, until: null })])
      await store.append([outside('1', { jobId: claimed.job.id, type: 'order.refused' })])
      expect((await store.find([{ id: claimed.job.id }]))[0]?.job).toMatchObject({ state: 'final', outcome: 'FAILED' })
      expect(await verify(store)).toEqual([])
    })

    it('of another namespace are kept and move nothing', async () => {
      const { store } = await setup()
      await submitOne(store, { awaits: { events: [{ eventType: 'order.paid', match: {}, times: 1, taskId: null }] } })
      const claimed = await claimOne(store)
      await store.apply([finish(claimed, { kind: 'suspended', awaits: null, until: null })])
      const [result] = await store.append([outside('1', { namespace: 'elsewhere', jobId: claimed.job.id })])
      expect(result?.outcome).toBe('recorded')
      expect((await store.find([{ id: claimed.job.id }]))[0]?.job.phase).toBe('awaiting')
      expect(await verify(store)).toEqual([])
    })
  })

  describe('the log', () => {
    it('is read in pages by cursor, all of it or that of one job', async () => {
      const { store, raw } = await setup()
      const batch = [submission(), submission()]
      await store.submit(batch)
      await store.append([outside('1', { jobId: batch[0]?.id ?? '' })])
      await store.apply([completion(await claimOne(store))])
      const all = await readAll({ store, raw })
      expect(all).toHaveLength(5)

      const paged: unknown[] = []
      let cursor: string | null = null
      for (;;) {
        const page = await store.events({ after: cursor, limit: 2 })
        if (page.entries.length === 0) {
          expect(page.cursor).toBe(cursor)
          break
        }
        paged.push(...page.entries)
        cursor = page.cursor
      }
      expect(paged).toEqual(all)
      const ofFirst = (await store.events({ jobId: batch[0]?.id ?? '', limit: 100 })).entries
      expect(ofFirst).toEqual(all.filter(({ jobId }) => jobId === batch[0]?.id))
      expect((await store.events({ jobId: newId(), limit: 100 })).entries).toEqual([])
    })

    it('gives own events ids that follow from job and version, with who caused them', async () => {
      const { store, raw } = await setup()
      const context = { actor: 'ada', cause: 'test', executionId: 'e', traceId: 't', spanId: 's' }
      const { job } = await submitOne(store, { context })
      const entries = await readAll({ store, raw })
      expect(entries[0]).toMatchObject({
        ...context,
        eventId: `${job.id}.1`,
        schemaVersion: 1,
        jobId: job.id,
        namespace: 'test',
        source: null,
      })
    })

    it('is append-only, enforced by the database', async () => {
      const { store, raw } = await setup()
      await submitOne(store)
      await store.apply([completion(await claimOne(store))])
      await expect(raw(`update events set attributes = '{}'`)).rejects.toThrow(/append-only/)
      await expect(raw('delete from events')).rejects.toThrow(/append-only/)
      await expect(raw('update runs set status = 1')).rejects.toThrow(/written once|append-only/)
      expect(await verify(store)).toEqual([])
    })
  })
}
