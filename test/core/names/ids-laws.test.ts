import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StintError } from '../../../src/core/errors.ts'
import { type IdParts, IncrementalTaskId, JobRunId, RunId, SlotId } from '../../../src/core/names/ids.ts'
import { notStrings, untyped } from './refusal.ts'

const fragment = fc.constantFrom('a', 'Z', '.', '_', '~', '-', '-task-', '-run-', 'task', 'run', '0', '3', '07', '12')
const part = fc.array(fragment, { minLength: 1, maxLength: 6 }).map((fragments) => fragments.join(''))
const maybe = fc.oneof(part, fc.constantFrom(undefined, null, ''))
const parts: fc.Arbitrary<IdParts> = fc.record({ project: part, database: maybe, namespace: maybe, name: part })
const number = fc.oneof(fc.nat(20), fc.maxSafeNat())

const jobRunId = parts.map((given) => new JobRunId(given))
const taskId = fc.tuple(jobRunId, number).map(([job, index]) => job.task(index))
const runnable = jobRunId.filter((job) => !/-task-(0|[1-9]\d*)$/.test(job.name))
const runId = fc.tuple(fc.oneof(runnable, taskId), number).map(([of, attempt]) => new RunId(of, attempt))
const slotId = parts.map((given) => new SlotId(given))

/** Texts that are ids, or would be but for a colon, a sign or a digit. */
const pieces = fc.oneof(fragment, fc.constantFrom(':', ':', ' ', '/', '%', 'é', '\n', '9007199254740993', '-1', '00'))
const loose = fc.array(pieces, { maxLength: 14 }).map((all) => all.join(''))
const suffix = fc.constantFrom(
  '',
  '-task-3',
  '-run-1',
  '-task-0-run-0',
  '-run-1-task-3',
  '-task-03',
  '-run-',
  ':',
  '\n',
)
const fewParts = fc.array(fc.oneof(part, fc.constant('')), { minLength: 3, maxLength: 5 })
const nearId = fc
  .tuple(fc.oneof(fc.tuple(part, part, part, part), fewParts), suffix, suffix)
  .map(([all, first, second]) => `${all.join(':')}${first}${second}`)
const text = fc.oneof(loose, nearId, fc.string({ unit: 'binary' }))

interface Id {
  encode(): string
  toJSON(): string
  equals(other: never): boolean
}

const kinds: readonly (readonly [string, (text: string) => Id, fc.Arbitrary<Id>, string])[] = [
  ['JobRunId', JobRunId.parse, jobRunId, 'p:d:n:x'],
  ['IncrementalTaskId', IncrementalTaskId.parse, taskId, 'p:d:n:x-task-3'],
  ['RunId', RunId.parse, runId, 'p:d:n:x-task-3-run-1'],
  ['SlotId', SlotId.parse, slotId, 'p:d:n:x'],
]

describe.each(kinds)('%s', (_kind, parse, ids, example) => {
  it('is the same after encode and parse', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const again = parse(id.encode())
        expect(again).toEqual(id)
        expect(again.equals(untyped(id))).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('encodes to the text that it was parsed from, and any other text is refused as an id', () => {
    fc.assert(
      fc.property(text, (given) => {
        const encoded = encodedOrRefused(parse, given)
        if (encoded !== null) expect(encoded).toBe(given)
      }),
      { numRuns: 5000 },
    )
  })

  it('is parsed often enough from such texts for that to mean something', () => {
    const parsed = fc
      .sample(text, { numRuns: 1000, seed: 1 })
      .filter((given) => encodedOrRefused(parse, given) !== null)
    expect(parsed.length).toBeGreaterThan(30)
  })

  it('has one text for each id', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        expect(a.equals(untyped(b))).toBe(a.encode() === b.encode())
      }),
      { numRuns: 1000 },
    )
  })

  it('goes unescaped into a URL, a log line and a file name', () => {
    fc.assert(
      fc.property(ids, (id) => {
        const url = new URL(`https://host/api/jobs/${id}/runs`)
        expect(url.pathname).toBe(`/api/jobs/${id}/runs`)
        expect(encodeURI(id.encode())).toBe(id.encode())
        expect(id.encode()).toMatch(/^[\w.~:-]+$/)
      }),
      { numRuns: 1000 },
    )
  })

  it('prints the same everywhere', () => {
    fc.assert(
      fc.property(ids, (id) => {
        expect([`${id}`, String(id), id.toJSON()]).toEqual(Array(3).fill(id.encode()))
        expect(JSON.stringify({ id })).toBe(`{"id":"${id}"}`)
      }),
      { numRuns: 1000 },
    )
  })

  it('cannot be changed, and equals nothing of another kind', () => {
    const id = parse(example)
    expect(Object.isFrozen(id)).toBe(true)
    for (const other of [...notStrings, id.encode(), { ...id }]) expect(id.equals(untyped(other))).toBe(false)
  })
})

describe('a run', () => {
  it('is either refused or read back as made, for every job and task', () => {
    fc.assert(
      fc.property(jobRunId, number, number, (job, index, attempt) => {
        const ofTask = job.task(index).run(attempt)
        expect(RunId.parse(ofTask.encode()).taskIndex).toBe(index)
        const ofJob = encodedOrRefused(() => job.run(attempt), '')
        if (ofJob !== null) expect(RunId.parse(ofJob)).toEqual(job.run(attempt))
      }),
      { numRuns: 1000 },
    )
  })
})

/** Null where it is refused as it should be; any other error fails the test. */
function encodedOrRefused(make: (text: string) => Id, given: string): string | null {
  try {
    return make(given).encode()
  } catch (error) {
    if (error instanceof StintError && error.code === 'invalid_id') return null
    throw error
  }
}
