import { describe, expect, it } from 'vitest'
import type { Submission } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { accepted, codeOf, newId, type Setup, submission, submitOne } from '../support/fixture.ts'
import { readAll } from '../support/follow.ts'
import {
  label,
  noIntegers,
  noObjects,
  noTexts,
  nothing,
  refusalOf,
  rowCounts,
  strangeTexts,
  textOfBytes,
  unstorableTexts,
} from '../support/zoo.ts'

/** Text fields: where the text goes, what the error calls it, how many bytes it may have. */
const textFields: readonly (readonly [field: string, maxBytes: number, put: (text: unknown) => object])[] = [
  ['key', 255, (key) => ({ key })],
  ['templateId', 255, (templateId) => ({ templateId })],
  ['scheduleId', 255, (scheduleId) => ({ scheduleId })],
  ['groupId', 255, (groupId) => ({ groupId })],
  ['retryOf', 512, (retryOf) => ({ retryOf })],
  ['submittedBy', 512, (submittedBy) => ({ submittedBy })],
  ['labels.team', 255, (team) => ({ labels: { team } })],
  ['context.actor', 255, (actor) => ({ context: { actor } })],
  ['context.cause', 1_024, (cause) => ({ context: { cause } })],
  ['context.executionId', 255, (executionId) => ({ context: { executionId } })],
  ['context.traceId', 255, (traceId) => ({ context: { traceId } })],
  ['context.spanId', 255, (spanId) => ({ context: { spanId } })],
  ['awaits.events[0].eventType', 255, (eventType) => ({ awaits: { events: [{ eventType }] } })],
  ['awaits.events[0].taskId', 512, (taskId) => ({ awaits: { events: [{ eventType: 'x', taskId }] } })],
  ['awaits.failOn[0]', 255, (type) => ({ awaits: { events: [], failOn: [type] } })],
]

const labelName = ['a name in labels', 128, (name: string) => ({ labels: { [name]: 'x' } })] as const

const whole: readonly (readonly [string, number, number, (value: unknown) => object])[] = [
  ['priority', -1_000_000, 1_000_000, (priority) => ({ priority })],
  ['scheduledFor', 0, 8_640_000_000_000_000, (scheduledFor) => ({ scheduledFor })],
  ['expiresAt', 0, 8_640_000_000_000_000, (expiresAt) => ({ expiresAt })],
  ['deadlineAt', 0, 8_640_000_000_000_000, (deadlineAt) => ({ deadlineAt })],
  ['timeoutMs', 1, 3_162_240_000_000, (timeoutMs) => ({ timeoutMs })],
  ['retry.maxAttempts', 1, 1_000, (maxAttempts) => ({ retry: { maxAttempts } })],
  ['retry.baseMs', 0, 3_162_240_000_000, (baseMs) => ({ retry: { baseMs } })],
  ['retry.capMs', 0, 3_162_240_000_000, (capMs) => ({ retry: { capMs } })],
  ['retry.maxSnoozes', 0, 1_000_000, (maxSnoozes) => ({ retry: { maxSnoozes } })],
  ['awaits.events[0].times', 1, 1_000, (times) => ({ awaits: { events: [{ eventType: 'x', times }] } })],
]

type Case = readonly [field: string, what: string, given: unknown, code: string]

function refusedCases(): readonly Case[] {
  const cases: Case[] = []
  const add = (field: string, fields: object, code: string, value: unknown) =>
    cases.push([field, label(value), { ...submission(), ...fields }, code])
  for (const [field, max, put] of [...textFields, labelName]) {
    for (const text of unstorableTexts) add(field, put(text), 'invalid_json', text)
    for (const text of ['', textOfBytes(max + 1), 'x'.repeat(max + 1)]) add(field, put(text), 'invalid_argument', text)
  }
  for (const [field, , put] of textFields)
    for (const value of noTexts) add(field, put(value), 'invalid_argument', value)
  for (const [field, min, max, put] of whole) {
    for (const value of [...noIntegers, min - 1, max + 1]) add(field, put(value), 'invalid_argument', value)
  }
  for (const value of [...noIntegers, 0.99, 100.01, -2].filter((value) => value !== 1.5)) {
    add('retry.factor', { retry: { factor: value } }, 'invalid_argument', value)
  }
  for (const value of noObjects.filter((value) => value !== null && value !== undefined)) {
    for (const field of ['labels', 'retry', 'awaits', 'context'])
      add(field, { [field]: value }, 'invalid_argument', value)
  }
  add('context', { context: null }, 'invalid_argument', null)
  for (const value of ['', 'x', 'ERROR', '__proto__', 5, {}, ['keep'], true]) {
    add('onConflict', { onConflict: value }, 'invalid_argument', value)
  }
  for (const value of [...strangeTexts, ...noTexts, '', newId().toUpperCase(), `${newId()} `, `{${newId()}}`, null]) {
    add('id', { id: value }, 'invalid_id', value)
  }
  const types = strangeTexts.filter((text) => !/^[A-Za-z0-9._~:-]+$/.test(text))
  for (const value of [...types, ...noTexts, '', null, undefined, 'x'.repeat(129)]) {
    add('type', { type: value }, 'invalid_argument', value)
  }
  for (const text of unstorableTexts) add('type', { type: text }, 'invalid_json', text)
  for (const value of noTexts) add('params', { params: value }, 'invalid_argument', value)
  for (const text of unstorableTexts) add('params', { params: text }, 'invalid_json', text)
  for (const text of [textOfBytes(1_048_577), 'x'.repeat(1_048_577)])
    add('params', { params: text }, 'payload_too_large', text)
  for (const value of noObjects) cases.push(['a submission', label(value), value, 'invalid_argument'])
  return [...cases, ...awaitsCases(), ...nameCases()]
}

function awaitsCases(): readonly Case[] {
  const given = (awaits: unknown) => ({ ...submission(), awaits })
  const event = (fields: object) => given({ events: [{ eventType: 'x', ...fields }] })
  const invalid = 'invalid_argument'
  const matches = [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    {},
    [],
    undefined,
    5n,
    Symbol('m'),
    new Date(0),
    'x'.repeat(1_025),
  ]
  return [
    ...noObjects.map((value): Case => ['awaits.events[0]', label(value), given({ events: [value] }), invalid]),
    ...[undefined, null, 5, 'x', {}].map(
      (value): Case => ['awaits.events', label(value), given({ events: value }), invalid],
    ),
    ...[5, 'x', {}].map((failOn): Case => ['awaits.failOn', label(failOn), given({ events: [], failOn }), invalid]),
    ['awaits.events', '33 kinds', given({ events: Array.from({ length: 33 }, () => ({ eventType: 'x' })) }), invalid],
    ...[5, 'x', [], true].map((m): Case => ['awaits.events[0].match', label(m), event({ match: m }), invalid]),
    ...matches.map((m): Case => ['match.a', label(m), event({ match: { a: m } }), invalid]),
    ...unstorableTexts.map((m): Case => ['match.a', label(m), event({ match: { a: m } }), 'invalid_json']),
    ...unstorableTexts.map((m): Case => ['match', label(m), event({ match: { [m]: 1 } }), 'invalid_json']),
    [
      'labels',
      '65 of them',
      { ...submission(), labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [i, 'x'])) },
      invalid,
    ],
  ]
}

const badNames: readonly unknown[] = [
  ...[
    '',
    '/',
    'a',
    'a/b',
    '//',
    '/a//b',
    '/a/',
    '/a/ ',
    '/ /a',
    '/a/7',
    '/a/7/b',
    '/7',
    '/ä/b',
    '/a b/c',
    '/a:b/c',
    '/%/a',
  ],
  ...['\0', '\n', '\u0001', '\u007f', '\u0085', '\ud800', '\udfff'].map((text) => `/test/a${text}b`),
  ...[`/test/${'x'.repeat(129)}`, `/test/${textOfBytes(129)}`, `/test${'/abc'.repeat(16)}`, `/${'n'.repeat(129)}/a`],
  ...[`/test${`/${'x'.repeat(124)}`.repeat(8)}`, null, undefined, ...noTexts],
]

function nameCases(): readonly Case[] {
  return badNames.map((name) => ['name', label(name), { ...submission(), name }, 'invalid_name'])
}

export function submissionInputs(setup: Setup): void {
  describe('hostile submissions', () => {
    it('are refused with a code and the name of the field, and nothing is written', async () => {
      const fixture = await setup()
      const cases = refusedCases()
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
        const ids = { key: text, templateId: text, scheduleId: text, groupId: text, retryOf: text, submittedBy: text }
        const awaits = { events: [awaited], failOn: [text] }
        return submission({ ...ids, labels: { [text]: text }, params: text, awaits, context })
      })
      const results = await fixture.store.submit(given)
      expect(results.map(codeOf)).toEqual(given.map(() => 'created'))
      const found = await fixture.store.find(given.map(({ id }) => ({ id })))
      expect(found).toEqual(results.map(accepted))
      const entries = await readAll(fixture)
      for (const [i, text] of strangeTexts.entries()) {
        const { job, params } = accepted(results[i])
        expect(params).toBe(text)
        for (const field of ['key', 'templateId', 'scheduleId', 'groupId', 'retryOf', 'submittedBy'] as const) {
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
        ...whole.flatMap(([, min, max, put]) => [put(min), put(max)]),
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
