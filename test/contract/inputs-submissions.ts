import { describe, expect, it } from 'vitest'
import type { Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, codeOf, type Setup, submission, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'
import { nothing, refusalOf, rowCounts, strangeTexts, textOfBytes } from '../support/zoo.ts'
import { labelName, refusedSubmissions, textFields, wholeFields } from './submission-cases.ts'

export function submissionInputs(setup: Setup): void {
  describe('hostile submissions', () => {
    it('are refused with a code and the name of the field, and nothing is written', async () => {
      const fixture = await setup()
      const cases = refusedSubmissions()
      const answers = await fixture.store.submit(cases.map(([, , given]) => given as Submission))
      const wrong = cases.flatMap(([field, what, , code], i) => {
        const found = refusalOf(answers[i], field)
        return found === code ? [] : [`${field} ${what}: ${found} instead of ${code}`]
      })
      expect(wrong).toEqual([])
      expect(cases.length).toBeGreaterThan(500)
      expect(await rowCounts(fixture)).toEqual(nothing)
    })

    it('with strange texts in every field are stored and come back as they were', async () => {
      const fixture = await setup()
      const given = strangeTexts.map((text) => {
        const awaited = { eventType: text, match: { [text]: text, n: -0, e: '' }, times: 1, taskId: text }
        const context = { actor: text, cause: text, executionId: text, traceId: text, spanId: text }
        const ids = { key: text, templateId: text, scheduleId: text, retryOf: text, submittedBy: text }
        const awaits = { events: [awaited], failOn: [text] }
        return submission({ ...ids, labels: { [text]: text }, params: text, trace: text, awaits, context })
      })
      const results = await fixture.store.submit(given)
      expect(results.map(codeOf)).toEqual(given.map(() => 'created'))
      const found = await fixture.store.find(given.map(({ id }) => ({ id })))
      expect(found).toEqual(results.map(accepted))
      const entries = await readAll(fixture)
      for (const [i, text] of strangeTexts.entries()) {
        const { job, params, trace } = accepted(results[i])
        expect([params, trace]).toEqual([text, text])
        for (const field of ['key', 'templateId', 'scheduleId', 'retryOf', 'submittedBy'] as const) {
          expect(job[field]).toBe(text)
        }
        expect(Object.entries(job.labels)).toEqual([[text, text]])
        expect(job.awaits?.events[0]).toMatchObject({ eventType: text, taskId: text })
        expect(Object.entries(job.awaits?.events[0]?.match ?? {})).toContainEqual([text, text])
        const { actor, cause, executionId, traceId, spanId } = entries[i] ?? {}
        expect([actor, cause, executionId, traceId, spanId]).toEqual([text, text, text, text, text])
      }
      expect(await verify(fixture.store)).toEqual([])
    })

    it('may go to the limits, and no further', async () => {
      const { store } = await setup()
      const fields: object[] = [
        ...textFields.flatMap(([, max, put]) => [put(textOfBytes(max)), put('x'.repeat(max))]),
        labelName[2](textOfBytes(128)),
        ...wholeFields.flatMap(([, min, max, put]) => [put(min), put(max)]),
        ...[1, 100, 1.5].map((factor) => ({ retry: { factor } })),
        { type: 'x'.repeat(128) },
        { name: `/test/${textOfBytes(128)}` },
        { name: `/test${`/${'x'.repeat(123)}`.repeat(8)}` },
        { params: textOfBytes(1_048_576) },
        { labels: Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`l${i}`, 'x'])) },
      ]
      const given = fields.map((field) => submission(field))
      const results = await store.submit(given)
      expect(results.map(codeOf)).toEqual(given.map(() => 'created'))
      expect(await store.find(given.map(({ id }) => ({ id })))).toEqual(results.map(accepted))
      expect(await verify(store)).toEqual([])
    })

    it('have names that are found again, each its own: equality is that of bytes', async () => {
      const { store } = await setup()
      const twins = [
        'Å',
        'A\u030a',
        '\u212b',
        'å',
        'ß',
        'ss',
        'SS',
        'İ',
        'i\u0307',
        'ﬁ',
        'fi',
        'a',
        'A',
        'a ',
        ' a',
        'a\u200b',
        '\u202ea',
      ]
      const strange = strangeTexts.filter(
        (text) => !/[/\p{Cc}]/u.test(text) && text.trim() !== '' && !/^(0|[1-9]\d*)$/.test(text),
      )
      const texts = [...new Set([...twins, ...strange])]
      const given = texts.map((text) => submission({ name: `/test/${text}`, key: text }))
      expect((await store.submit(given)).map(codeOf)).toEqual(given.map(() => 'created'))
      const found = await store.find(given.map(({ name }) => ({ name })))
      expect(found.map((stored) => [stored?.job.id, stored?.job.name])).toEqual(given.map(({ id, name }) => [id, name]))
      const again = await store.submit(
        texts.flatMap((text) => [submission({ name: `/test/${text}` }), submission({ key: text })]),
      )
      expect(again.map(codeOf)).toEqual(texts.flatMap(() => ['name_taken', 'key_taken']))
      // What no store can hold is nobody's name, not even that of the job whose name has a replacement character there.
      await submitOne(store, { name: '/test/x\ufffd' })
      const none = ['/test/x\ud800', '/test/x\0', '', '/', 'x', '/test/%', "/test/' or '1'='1"]
      expect(await store.find(none.map((name) => ({ name })))).toEqual([
        null,
        null,
        null,
        null,
        null,
        found[texts.indexOf('%')],
        null,
      ])
      expect(await store.find([{ id: '' }, { id: 'x\0' }, { id: (given[0]?.id ?? '').toUpperCase() }])).toEqual([
        null,
        null,
        null,
      ])
      expect(await verify(store)).toEqual([])
    })

    it('have params that come back letter by letter', async () => {
      const { store } = await setup()
      const texts = [
        ...['{"b":1,"a":2}', '{"a":1,"a":2}', '[1.10,1e2,-0,1E400,0.1e-7]', '"\\u00e9é"', '"\\u0000"', '"\\ud800"'],
        ...[
          ' [ 1 ,\n2 ]\t',
          '',
          'null',
          '{"__proto__":{"polluted":1}}',
          '9007199254740993',
          `${'['.repeat(1_000)}${']'.repeat(1_000)}`,
        ],
      ]
      const given = texts.map((params) => submission({ params }))
      await store.submit(given)
      const found = await store.find(given.map(({ id }) => ({ id })))
      expect(found.map((stored) => stored?.params)).toEqual(texts)
      expect(await verify(store)).toEqual([])
    })

    it('give zero where they say minus zero, and the defaults where they say nothing', async () => {
      const { store } = await setup()
      const { job } = await submitOne(store, { priority: -0, scheduledFor: -0, retry: { baseMs: -0 } })
      const [found] = await store.find([{ id: job.id }])
      for (const zero of [job.priority, job.scheduledFor, job.retry.baseMs, found?.job.priority]) {
        expect(Object.is(zero, 0)).toBe(true)
      }
      const empty = {
        key: null,
        params: null,
        labels: null,
        retry: null,
        awaits: null,
        timeoutMs: null,
        expiresAt: null,
      }
      const absent = { labels: undefined, priority: undefined, scheduledFor: undefined, onConflict: undefined }
      const bare = await submitOne(store, { ...empty, ...absent } as unknown as Partial<Submission>, 1_000)
      expect(bare.job).toMatchObject({ key: null, labels: {}, priority: 0, scheduledFor: 1_000, awaits: null })
      expect(bare.job.retry).toEqual({ maxAttempts: 4, baseMs: 10_000, factor: 2, capMs: 3_600_000, maxSnoozes: 1_000 })
      expect(await verify(store)).toEqual([])
    })
  })
}
