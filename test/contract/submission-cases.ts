import { newId, submission } from '../support/fixture.ts'
import { label, noIntegers, noObjects, noTexts, strangeTexts, textOfBytes, unstorableTexts } from '../support/zoo.ts'

/** Text fields: where the text goes, what the error calls it, how many bytes it may have. */
export const textFields: readonly (readonly [field: string, maxBytes: number, put: (text: unknown) => object])[] = [
  ['key', 255, (key) => ({ key })],
  ['templateId', 255, (templateId) => ({ templateId })],
  ['scheduleId', 255, (scheduleId) => ({ scheduleId })],
  ['retryOf', 512, (retryOf) => ({ retryOf })],
  ['submittedBy', 512, (submittedBy) => ({ submittedBy })],
  ['trace', 512, (trace) => ({ trace })],
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

export const labelName = ['a name in labels', 128, (name: string) => ({ labels: { [name]: 'x' } })] as const

export const wholeFields: readonly (readonly [string, number, number, (value: unknown) => object])[] = [
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

/** The field that the error must name, what stands in it, the submission, the code. */
export type Case = readonly [field: string, what: string, given: unknown, code: string]

/** Every way to be wrong that we know, with the code that it is refused with. */
export function refusedSubmissions(): readonly Case[] {
  const cases: Case[] = []
  const add = (field: string, fields: object, code: string, value: unknown) =>
    cases.push([field, label(value), { ...submission(), ...fields }, code])
  for (const [field, max, put] of [...textFields, labelName]) {
    for (const text of unstorableTexts) add(field, put(text), 'invalid_json', text)
    for (const text of ['', textOfBytes(max + 1), 'x'.repeat(max + 1)]) add(field, put(text), 'invalid_argument', text)
  }
  for (const [field, , put] of textFields)
    for (const value of noTexts) add(field, put(value), 'invalid_argument', value)
  for (const [field, min, max, put] of wholeFields) {
    for (const value of [...noIntegers, min - 1, max + 1]) add(field, put(value), 'invalid_argument', value)
  }
  for (const value of [...noIntegers, 0.99, 100.01, -2].filter((value) => value !== 1.5)) {
    add('retry.factor', { retry: { factor: value } }, 'invalid_argument', value)
  }
  for (const value of noObjects.filter((value) => value !== null && value !== undefined)) {
    for (const field of ['labels', 'retry', 'awaits', 'context'])
      add(field, { [field]: value }, 'invalid_argument', value)
  }
  const rerun = (indexes: unknown) => ({ rerun: indexes, retryOf: 'before' })
  for (const value of [...noIntegers, -1, 100_000]) add('rerun[1]', rerun([0, value]), 'invalid_argument', value)
  for (const value of [{}, 'x', 3, [1, 2, 1], Array.from({ length: 100_001 }, (_, i) => i)]) {
    add('rerun', rerun(value), 'invalid_argument', value)
  }
  add('rerun', { rerun: [1] }, 'invalid_argument', 'without retryOf')
  add('context', { context: null }, 'invalid_argument', null)
  for (const value of ['', 'x', 'ERROR', '__proto__', 5, {}, ['keep'], true]) {
    add('onConflict', { onConflict: value }, 'invalid_argument', value)
  }
  for (const value of [...strangeTexts, ...noTexts, '', newId().toUpperCase(), `${newId()} `, `{${newId()}}`, null]) {
    add('id', { id: value }, 'invalid_id', value)
  }
  for (const value of [...noTexts, '', 'x', newId().toUpperCase(), null]) {
    add('group', { group: value }, 'invalid_argument', value)
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
  return [...cases, ...awaitsCases(), ...parentCases(), ...onFailureCases(), ...nameCases()]
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

function parentCases(): readonly Case[] {
  const given = (parent: unknown) => ({ ...submission(), parent })
  const objects = noObjects.filter((value) => value !== null && value !== undefined)
  const held = { jobId: newId(), token: 't1' }
  return [
    ...objects.map((value): Case => ['parent', label(value), given(value), 'invalid_argument']),
    ...[...noTexts, '', 'x', null, undefined, newId().toUpperCase()].map((jobId): Case => {
      return ['parent.jobId', label(jobId), given({ ...held, jobId }), 'invalid_id']
    }),
    ...[...noTexts, '', null, undefined, 'x'.repeat(129)].map((token): Case => {
      return ['parent.token', label(token), given({ ...held, token }), 'invalid_argument']
    }),
    ...unstorableTexts.map((token): Case => ['parent.token', label(token), given({ ...held, token }), 'invalid_json']),
  ]
}

function onFailureCases(): readonly Case[] {
  const good = { id: newId(), name: '/test/after', type: 'after', params: null }
  const given = (fields: object) => ({ ...submission(), onFailure: { ...good, ...fields } })
  const objects = noObjects.filter((value) => value !== null && value !== undefined)
  const invalid = 'invalid_argument'
  const noParams = [...noTexts, '', 'x', '[]', 'null', '5', '{', `{"x":"${'x'.repeat(65_536)}"}`]
  return [
    ...objects.map((value): Case => ['onFailure', label(value), { ...submission(), onFailure: value }, invalid]),
    ...[...noTexts, '', 'x', null, undefined].map((id): Case => {
      return ['onFailure.id', label(id), given({ id }), 'invalid_id']
    }),
    ...badNames.map((name): Case => ['name', label(name), given({ name }), 'invalid_name']),
    ...[...noTexts, '', 'a b', null, undefined, 'x'.repeat(129)].map((type): Case => {
      return ['onFailure.type', label(type), given({ type }), invalid]
    }),
    ...unstorableTexts.map((type): Case => ['onFailure.type', label(type), given({ type }), 'invalid_json']),
    ...noParams.map((params): Case => ['onFailure.params', label(params), given({ params }), invalid]),
    ...['{"a":1e400}', '{"a":"\\u0000"}', '{"a":"\\ud800"}'].map((params): Case => {
      return ['onFailure.params', label(params), given({ params }), 'invalid_json']
    }),
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
