import { describe, expect, it } from 'vitest'
import type { ApplyRequest, LogLine, Report, StoredJob } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { cancel } from '../support/children.ts'
import { newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { at, openStores, submitMany, times } from '../support/racing.ts'
import { claimOf, claimOne, completion, failure } from '../support/requests.ts'
import { strangeTexts } from '../support/zoo.ts'

function reportOf({ job }: StoredJob, fields: Partial<Report> = {}): Report {
  return { jobId: job.id, token: job.token ?? '', ...fields }
}

const line = (seq: number, text = `line ${seq}`): LogLine => ({ seq, at: 1_000 + seq, line: text })
const nothing = { progress: null, checkpoint: null }

export function reportContract(setup: Setup): void {
  describe('reports of an attempt', () => {
    it('save progress, a checkpoint and lines, together or each alone', async () => {
      const { store } = await setup()
      await submitMany(store, 4)
      const [all, progress, checkpoint, lines] = await store.claim(claimOf())
      if (!all || !progress || !checkpoint || !lines) throw new Error('Four jobs were expected.')
      const told = await store.report([
        reportOf(all, { progress: { done: 1, total: 3 }, checkpoint: '{"at":7}', lines: [line(1), line(2)] }),
        reportOf(progress, { progress: { done: 0.25, total: null } }),
        reportOf(checkpoint, { checkpoint: 'null' }),
        reportOf(lines, { lines: [line(5)] }),
      ])
      expect(told).toEqual([true, true, true, true])
      const notes = await Promise.all([all, progress, checkpoint, lines].map(({ job }) => store.notes(job.id)))
      expect(notes).toEqual([
        { progress: { done: 1, total: 3 }, checkpoint: '{"at":7}' },
        { progress: { done: 0.25, total: null }, checkpoint: null },
        { progress: null, checkpoint: 'null' },
        nothing,
      ])
      expect(await store.logs({ jobId: all.job.id, attempt: 1, limit: 10 })).toEqual([line(1), line(2)])
      expect(await store.logs({ jobId: lines.job.id, attempt: 1, limit: 10 })).toEqual([line(5)])
      expect(await verify(store)).toEqual([])
    })

    it('of which the last one counts, in one call and over several', async () => {
      const { store } = await setup()
      await submitOne(store)
      const job = await claimOne(store)
      await store.report([
        reportOf(job, { progress: { done: 9, total: 9 }, checkpoint: '"a"' }),
        reportOf(job, { progress: { done: 2, total: null } }),
        reportOf(job, { checkpoint: '"b"' }),
        reportOf(job, {}),
      ])
      expect(await store.notes(job.job.id)).toEqual({ progress: { done: 2, total: null }, checkpoint: '"b"' })
      await store.report([reportOf(job, { progress: { done: 1, total: 2 } })])
      await store.report([reportOf(job, { checkpoint: '"c"' })])
      expect(await store.notes(job.job.id)).toEqual({ progress: { done: 1, total: 2 }, checkpoint: '"c"' })
    })

    it('are refused when the attempt no longer holds its job, and nothing of them is written', async () => {
      const { store } = await setup()
      await submitMany(store, 3, { retry: { baseMs: 0 } })
      const [finished, anew, asked] = await store.claim(claimOf({ token: 'old' }))
      if (!finished || !anew || !asked) throw new Error('Three jobs were expected.')
      await store.apply([completion(finished), failure(anew), cancel(asked)])
      const fresh = await claimOne(store, { token: 'new', now: Date.now() + 1_000 })
      const full = { progress: { done: 1, total: 1 }, checkpoint: '1', lines: [line(1)] }
      const stale = [finished, anew].map((job) => reportOf(job, full))
      const wrong = { ...reportOf(asked, full), token: 'other' }
      const unknown = { jobId: newId(), token: 'old', ...full }
      expect(await store.report([...stale, wrong, unknown])).toEqual([false, false, false, false])
      for (const { job } of [finished, anew, asked]) {
        expect(await store.notes(job.id)).toEqual(nothing)
        for (const attempt of [1, 2]) expect(await store.logs({ jobId: job.id, attempt, limit: 9 })).toEqual([])
      }
      // An attempt that was asked to stop still holds its job.
      expect(await store.report([reportOf(fresh, full), reportOf(asked, full)])).toEqual([true, true])
      expect(await store.logs({ jobId: anew.job.id, attempt: 2, limit: 9 })).toEqual([line(1)])
      expect(await store.logs({ jobId: asked.job.id, attempt: 1, limit: 9 })).toEqual([line(1)])
    })

    it('leave to the next attempt what the one before saved, and each attempt its own log', async () => {
      const { store } = await setup()
      await submitOne(store, { retry: { baseMs: 0 } })
      const first = await claimOne(store)
      await store.report([reportOf(first, { checkpoint: '"half"', lines: [line(1, 'first')] })])
      await store.apply([failure(first)])
      const second = await claimOne(store, { token: 't2', now: Date.now() + 1_000 })
      expect(await store.notes(second.job.id)).toMatchObject({ checkpoint: '"half"' })
      await store.report([reportOf(second, { lines: [line(1, 'second')] })])
      const logs = await Promise.all([1, 2, 3].map((attempt) => store.logs({ jobId: first.job.id, attempt, limit: 9 })))
      expect(logs.map((lines) => lines.map((each) => each.line))).toEqual([['first'], ['second'], []])
    })

    it('that are no reports stop no others', async () => {
      const { store } = await setup()
      await submitOne(store)
      const job = await claimOne(store)
      const bad: readonly unknown[] = [
        ...[null, undefined, 5, 'x', [], {}],
        ...[null, 5, 'x', {}, { done: Number.NaN, total: 1 }, { done: 1 }, { done: '1', total: 2 }].map((progress) => {
          return { ...reportOf(job), progress }
        }),
        ...[
          { done: Number.POSITIVE_INFINITY, total: null },
          { done: 1, total: Number.NaN },
        ].map((progress) => {
          return { ...reportOf(job), progress }
        }),
        ...[5, {}, 'a\0', '\ud800', 'x'.repeat(1_048_577)].map((checkpoint) => ({ ...reportOf(job), checkpoint })),
        ...[null, 5, 'x', {}, [null], [5], [undefined]].map((lines) => ({ ...reportOf(job), lines })),
        ...[0, -1, 1.5, Number.NaN, 2 ** 31, '1', null].map((seq) => ({
          ...reportOf(job),
          lines: [{ ...line(1), seq }],
        })),
        ...[-1, 1.5, Number.NaN, null, '1'].map((at) => ({ ...reportOf(job), lines: [{ ...line(1), at }] })),
        ...[null, 5, {}, Object.create(null), Symbol('x')].map((text) => {
          return { ...reportOf(job), lines: [line(1), { ...line(2), line: text }] }
        }),
        ...['', 'x', 'a\0', null, 5].map((jobId) => ({ ...reportOf(job), jobId })),
        ...['', 'a\0', '\ud800', null, 5, 'x'.repeat(129)].map((token) => ({ ...reportOf(job), token })),
      ]
      const good = reportOf(job, { progress: { done: 1, total: 2 }, lines: [line(7)] })
      const told = await store.report([...(bad as Report[]), good])
      expect(told).toEqual([...bad.map(() => false), true])
      expect(await store.notes(job.job.id)).toEqual({ progress: { done: 1, total: 2 }, checkpoint: null })
      expect(await store.logs({ jobId: job.job.id, attempt: 1, limit: 9 })).toEqual([line(7)])
      expect(await store.report([])).toEqual([])
    })

    it('may go to the limits of numbers', async () => {
      const { store } = await setup()
      await submitOne(store)
      const job = await claimOne(store)
      for (const done of [0, -1, 0.1, 1e300, -1e300, 5e-324, Number.MAX_VALUE, Number.MAX_SAFE_INTEGER]) {
        await store.report([reportOf(job, { progress: { done, total: done } })])
        expect(await store.notes(job.job.id)).toEqual({ progress: { done, total: done }, checkpoint: null })
      }
      await store.report([reportOf(job, { progress: { done: -0, total: -0 } })])
      const { progress } = await store.notes(job.job.id)
      expect([progress?.done, progress?.total].map((zero) => Object.is(zero, 0))).toEqual([true, true])
    })
  })

  describe('the log of a run', () => {
    it('has lines as they were written; what no store holds is replaced, and what is too long is cut', async () => {
      const { store } = await setup()
      await submitOne(store)
      const job = await claimOne(store)
      const texts = [...strangeTexts, '', 'a\0b', '\ud800x', 'x'.repeat(20_000)]
      await store.report([reportOf(job, { lines: texts.map((text, i) => line(i + 1, text)) })])
      const found = await store.logs({ jobId: job.job.id, attempt: 1, limit: 1_000 })
      const lines = found.map((each) => each.line)
      expect(lines.slice(0, -3)).toEqual([...strangeTexts, ''])
      expect(lines.slice(-3, -1)).toEqual(['a\ufffdb', '\ufffdx'])
      expect(lines.at(-1)).toMatch(/^x{16384}… \(cut, 20000 characters\)$/)
    })

    it('keeps the first of two lines with one number, in one report, one call, or over several', async () => {
      const { store } = await setup()
      await submitOne(store)
      const job = await claimOne(store)
      const many = times(50, (i) => line(100 + i))
      await store.report([
        reportOf(job, { lines: [line(1, 'first'), line(1, 'second'), ...many] }),
        reportOf(job, {
          lines: [line(1, 'third'), line(2, 'two'), ...many.map((each) => ({ ...each, line: 'again' }))],
        }),
      ])
      await store.report([reportOf(job, { lines: [line(2, 'late'), line(3, 'three')] })])
      const found = await store.logs({ jobId: job.job.id, attempt: 1, limit: 1_000 })
      expect(found).toEqual([line(1, 'first'), line(2, 'two'), line(3, 'three'), ...many])
    })

    it('is read in pages by number, whatever the order of writing', async () => {
      const { store } = await setup()
      await submitOne(store)
      const job = await claimOne(store)
      await store.report([reportOf(job, { lines: [5, 3, 1].map((seq) => line(seq)) })])
      await store.report([reportOf(job, { lines: [4, 2].map((seq) => line(seq)) })])
      const page = async (afterSeq: number) => {
        const found = await store.logs({ jobId: job.job.id, attempt: 1, afterSeq, limit: 2 })
        return found.map(({ seq }) => seq)
      }
      expect([await page(0), await page(2), await page(4), await page(5)]).toEqual([[1, 2], [3, 4], [5], []])
    })

    it('and the notes of jobs that do not exist are empty', async () => {
      const { store } = await setup()
      for (const jobId of [newId(), 'x', '', 'a\0']) {
        expect(await store.notes(jobId)).toEqual(nothing)
        expect(await store.logs({ jobId, attempt: 1, limit: 10 })).toEqual([])
      }
      const { job } = await submitOne(store)
      expect(await store.notes(job.id)).toEqual(nothing)
      expect(await store.logs({ jobId: job.id, attempt: 1, limit: 10 })).toEqual([])
    })
  })

  describe('reports at the same time', () => {
    it('as their attempts end or are asked to stop are either kept or refused, and none fails', async () => {
      const fixture = await setup()
      const stores = await openStores(fixture, 3)
      await fixture.store.submit(times(40, () => submission()))
      const running = await fixture.store.claim(claimOf({ limit: 40 }))
      const ends = running.map((job, i): ApplyRequest => (i % 2 === 0 ? completion(job) : cancel(job)))
      const lines = times(20, (i) => line(i + 1))
      const reports = running.map((job) => reportOf(job, { progress: { done: 1, total: 1 }, checkpoint: '1', lines }))
      const told = await Promise.all([
        ...times(6, (i) => at(stores, i).report(i % 2 === 0 ? reports : [...reports].reverse())),
        fixture.store.apply([...ends].reverse()).then(() => []),
      ])
      const kept = told.flatMap((each, i) => (i % 2 === 0 ? each : [...each].reverse()).map((ok, j) => ok && j))
      for (const [i, { job }] of running.entries()) {
        const found = await fixture.store.logs({ jobId: job.id, attempt: 1, limit: 100 })
        expect(found).toHaveLength(kept.includes(i) ? 20 : 0)
      }
      expect(await verify(fixture.store)).toEqual([])
    })
  })
}
