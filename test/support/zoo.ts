import type { Fixture } from './fixture.ts'

/** Texts that were trouble somewhere, and that both stores must hold and give back as they are. */
export const strangeTexts: readonly string[] = [
  ...[
    "'; drop table jobs; --",
    '$1',
    ':name',
    '?1',
    '%',
    '_',
    '\\',
    "E'\\\\'",
    '"',
    "'",
    '`',
    '--',
    '/*',
    ';',
    '\\x00',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'null',
    'NULL',
    'undefined',
    'true',
    'NaN',
  ],
  ...['{}', '[]', '{"a":1}', '{a,b}', '\\u0000', '&lt;', '<script>', '0', '-0', '1e400', '007', '9007199254740993'],
  ...[
    ' ',
    '  padded  ',
    '\t',
    '\n',
    '\r\n',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\ufffd',
    '\uffff',
  ],
  ...[
    '\u202eabc',
    'a\u200bb',
    '\u200d',
    '👩‍👩‍👧‍👦',
    '\u{10ffff}',
    'ß',
    'İ',
    'ı',
    'ﬁ',
    'Å',
    'A\u030a',
    '\u0301',
    '𝕬',
    '日本語',
    'عربى',
  ],
]

/** Texts that at least one store cannot hold. */
export const unstorableTexts: readonly string[] = [
  ...['\0', 'a\0b', 'end\0', '\ud800', '\udfff', 'a\ud83d', '\udc00\ud800', '\ud800\ud800\udc00'],
]

/** What a caller in JavaScript may give where a text belongs. */
export const noTexts: readonly unknown[] = [
  ...[5, 0, Number.NaN, true, false, {}, [], ['a'], new Date(0), Symbol('text'), 5n, () => 'text', new String('text')],
]

/** What may stand where a whole number belongs, and is none. */
export const noIntegers: readonly unknown[] = [
  ...[Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5, 5e-324, 2 ** 53, -(2 ** 53), 1e300],
  ...['5', '', 'x', true, {}, [], [5], new Date(0), 5n, Symbol('number'), new Number(5), () => 5],
]

/** What is no object at all, or one of another kind. */
export const noObjects: readonly unknown[] = [null, undefined, 5, 'x', '', true, [], 5n, Symbol('object'), () => ({})]

/** A text of exactly so many bytes of UTF-8, most of them in characters of three bytes. */
export function textOfBytes(bytes: number): string {
  return '€'.repeat(Math.floor(bytes / 3)) + 'x'.repeat(bytes % 3)
}

export function label(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (typeof value === 'object' && value !== null) return `${value.constructor.name} ${JSON.stringify(value)}`
  return `${typeof value} ${String(value)}`
}

/** The rows of every table that a refused request must leave empty. */
export async function rowCounts({ raw }: Pick<Fixture, 'raw'>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of ['jobs', 'ready', 'delayed', 'claims', 'runs', 'waits', 'events', 'event_keys']) {
    const [row] = await raw(`select count(*) as n from ${table}`)
    counts[table] = Number(row?.['n'])
  }
  return counts
}

export const nothing = {
  jobs: 0,
  ready: 0,
  delayed: 0,
  claims: 0,
  runs: 0,
  waits: 0,
  events: 0,
  event_keys: 0,
} as const

interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}

/** One line about an answer: `code` when it is a refusal whose message names the field, what is wrong with it if not. */
export function refusalOf(answer: object | undefined, field: string): string {
  if (answer === undefined || !('error' in answer)) return 'accepted'
  const { code, message } = (answer as Refusal).error
  return message.includes(field) ? code : `${code}, but the message does not name ${field}: ${message}`
}
