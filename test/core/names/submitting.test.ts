import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { StintError } from '../../../src/core/errors.ts'
import { checkSubmittable, JobName, nominalInstant, resolveName } from '../../../src/core/names/job-name.ts'
import { utf8Length } from '../../../src/core/names/utf8-length.ts'
import { expectRefusal, notStrings, untyped } from './refusal.ts'

function refuses(act: () => unknown, input: unknown, rule: RegExp): void {
  expectRefusal('invalid_name', act, input, rule)
}

/** A name of exactly so many bytes (from 1,000), in components that are short enough each. */
function nameOfBytes(bytes: number): string {
  return `/${'n'.repeat(bytes - 901)}${`/${'x'.repeat(99)}`.repeat(9)}`
}

describe('checkSubmittable', () => {
  it.each([
    '/reports',
    '/reports/daily/render',
    '/A-z.0_9~/名前 with space',
    '/a/007',
    '/a/-1/b',
    '/a/1.0/b',
    '/a/9007199254740992',
    '/a/👍',
    `/a/${'x'.repeat(128)}`,
    `/a/${'é'.repeat(64)}`,
    `/a/${'👍'.repeat(32)}`,
    `/${'n'.repeat(128)}`,
    '/a'.repeat(16),
    nameOfBytes(1000),
  ])('accepts %j', (text) => {
    expect(checkSubmittable(JobName.parse(text))).toBeUndefined()
  })

  it.each([
    ['/a/b\u0000c', /control/],
    ['/a/b\nc', /control/],
    ['/a/b\u001fc', /control/],
    ['/a/b\u007fc', /control/],
    ['/a/b\u0080c', /control/],
    ['/a/b\u009fc', /control/],
    ['/a/b\ud83d', /lone surrogates/],
    ['/a/\udc4db', /lone surrogates/],
    [`/a/${'x'.repeat(129)}`, /128 bytes/],
    [`/a/${'é'.repeat(65)}`, /128 bytes/],
    [`/a/${'👍'.repeat(33)}`, /128 bytes/],
    [`/${'n'.repeat(129)}/a`, /128 bytes/],
    ['/a'.repeat(17), /16 levels/],
    [nameOfBytes(1001), /1000 bytes/],
    ['/name space/a', /namespace/],
    ['/é/a', /namespace/],
    ['/a:b', /namespace/],
    ['/a%20', /namespace/],
    ['/5', /task number/],
    ['/a/0', /task number/],
    ['/a/b/17', /task number/],
    ['/5/a', /no ancestor/],
    ['/a/0/b', /no ancestor/],
    ['/a/0/b/c', /no ancestor/],
  ])('refuses %j', (text, rule) => {
    refuses(() => checkSubmittable(JobName.parse(text)), text, rule)
  })

  it('refuses what is no JobName', () => {
    for (const input of [...notStrings, '/a']) refuses(() => checkSubmittable(untyped(input)), input, /a JobName/)
  })

  it('accepts exactly what the rules say', () => {
    const piece = fc.constantFrom('a', 'é', ' b', '0', '12', '007', '\n', '\u0085', '\ud800', '~', 'x'.repeat(127))
    const part = fc.array(piece, { minLength: 1, maxLength: 2 }).map((pieces) => pieces.join(''))
    const parts = fc.array(
      part.filter((text) => text.trim() !== ''),
      { minLength: 1, maxLength: 18 },
    )
    fc.assert(
      fc.property(parts, (components) => {
        expect(isAccepted(`/${components.join('/')}`)).toBe(isWithinRules(components))
      }),
      { numRuns: 2000 },
    )
  })
})

function isAccepted(text: string): boolean {
  try {
    checkSubmittable(JobName.parse(text))
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(StintError)
    return false
  }
}

/** The rules once more, in other words, with the platform's own encoder for the bytes. */
function isWithinRules(components: string[]): boolean {
  const text = components.join('/')
  return (
    components.length <= 16 &&
    1 + Buffer.byteLength(text) <= 1000 &&
    components.every((part) => Buffer.byteLength(part) <= 128 && !/^(0|[1-9]\d*)$/.test(part)) &&
    Buffer.from(text).toString() === text &&
    ![...text].some((char) => char < ' ' || (char >= '\u007f' && char <= '\u009f')) &&
    /^[\w.~-]+$/.test(components[0] ?? '')
  )
}

describe('resolveName', () => {
  const job = JobName.parse('/ns/job')

  it.each([
    ['/y/x', null, '/y/x'],
    ['/y/x', job, '/y/x'],
    ['x', job, '/ns/job/x'],
    ['a/b', job, '/ns/job/a/b'],
    ['x', job.task(3), '/ns/job/x'],
    ['a/b', job.task(0), '/ns/job/a/b'],
    ['x', JobName.root('r'), '/r/x'],
    ['..', job, '/ns/job/..'],
  ])('%j under %s is %s', (text, base, expected) => {
    expect(resolveName(text, base).toString()).toBe(expected)
  })

  it('refuses a relative name where nothing runs', () => {
    refuses(() => resolveName('x', null), 'x', /starts with "\/"/)
    refuses(() => resolveName('x', untyped(undefined)), 'x', /starts with "\/"/)
  })

  it('refuses broken names, and names them as they were written', () => {
    for (const text of ['', ' ', 'a/', 'a//b', 'a/ /b']) refuses(() => resolveName(text, job), text, /empty or blank/)
    refuses(() => resolveName('/a//b', job), '/a//b', /empty or blank/)
    for (const input of notStrings) refuses(() => resolveName(untyped(input), job), input, /is a string/)
  })

  it('refuses a base that is no JobName, or a task of no job', () => {
    refuses(() => resolveName('x', untyped('/ns/job')), '/ns/job', /a JobName/)
    refuses(() => resolveName('x', JobName.parse('/5')), '/5', /no job above/)
  })
})

describe('nominalInstant', () => {
  it.each([
    ['2026-11-15T09:00:00.000Z', '20261115T090000Z'],
    ['2026-11-15T09:00:00.123Z', '20261115T090000.123Z'],
    ['2026-11-15T09:00:00.100Z', '20261115T090000.100Z'],
    ['2026-11-15T09:00:00.001Z', '20261115T090000.001Z'],
    ['1970-01-01T00:00:00.000Z', '19700101T000000Z'],
    ['1969-12-31T23:59:59.999Z', '19691231T235959.999Z'],
    ['0000-01-01T00:00:00.000Z', '00000101T000000Z'],
    ['9999-12-31T23:59:59.999Z', '99991231T235959.999Z'],
  ])('of %s is %s', (iso, expected) => {
    expect(nominalInstant(Date.parse(iso))).toBe(expected)
  })

  it('refuses what has no four-digit year or is not whole milliseconds', () => {
    const outside = [Date.parse('-000001-12-31T23:59:59.999Z'), Date.parse('+010000-01-01T00:00:00.000Z')]
    for (const input of [...outside, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '0', null, undefined, {}]) {
      refuses(() => nominalInstant(untyped(input)), input, /whole milliseconds/)
    }
  })

  it('makes submittable components, one for each instant, that sort by time to the second', () => {
    const instant = fc.integer({ min: -62167219200000, max: 253402300799999 })
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const [left, right] = [nominalInstant(a), nominalInstant(b)]
        expect(left === right).toBe(a === b)
        expect(isAccepted(`/ns/schedule/${left}`)).toBe(true)
        if (Math.floor(a / 1000) < Math.floor(b / 1000)) expect(left < right).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('utf8Length', () => {
  test('counts what an encoder writes, lone surrogates included', () => {
    const unit = fc.oneof(
      fc.constantFrom('a', '\u007f', '\u0080', '\u07ff', '\u0800', '\uffff', '\ud800', '\udc00', '👍'),
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(unit).map((units) => units.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          expect(utf8Length(text)).toBe(Buffer.byteLength(text))
        },
      ),
      { numRuns: 1000 },
    )
  })
})
