import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { NewEvent } from '../../src/store/store.ts'
import { newId, type Setup, submitOne } from '../support/fixture.ts'
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

let made = 0

function event(fields: object = {}): NewEvent {
  made += 1
  return { namespace: 'test', source: 'shop', id: `e${made}`, type: 'paid', ...fields }
}

const textFields = [
  ...[['source', 255] as const, ['id', 255] as const, ['type', 255] as const],
  ...[['jobId', 512] as const, ['taskId', 512] as const],
  ...[['executionId', 255] as const, ['traceId', 255] as const, ['spanId', 255] as const],
]
const required: readonly string[] = ['namespace', 'source', 'id', 'type']

type Case = readonly [field: string, what: string, given: unknown, code: string]

/** Objects that are not what they seem when they are written as JSON. */
const noAttributes: readonly unknown[] = [
  ...[5, 'x', true, [], 5n, Symbol('a'), () => ({}), new Date(0)],
  ...[{ toJSON: () => [1] }, { toJSON: () => 'text' }, { toJSON: () => null }],
]

const noJson: readonly object[] = [
  ...[{ a: Number.NaN }, { a: Number.POSITIVE_INFINITY }, { a: 5n }, { a: Symbol('a') }, { a: () => 1 }],
  ...[{ a: new Map() }, { a: new Set([1]) }, { a: /x/ }, new Map(), deep(101)],
  ...unstorableTexts.flatMap((text) => [{ a: text }, { [text]: 1 }, { a: [{ b: text }] }]),
]

function deep(levels: number): JsonObject {
  let value: JsonObject = {}
  for (let i = 1; i < levels; i++) value = { a: value }
  return { a: value }
}

function refusedCases(): readonly Case[] {
  const cases: Case[] = []
  const add = (field: string, value: unknown, code: string, fields: object = { [field]: value }) =>
    cases.push([field, label(value), event(fields), code])
  for (const [field, max] of textFields) {
    for (const text of unstorableTexts) add(field, text, 'invalid_json')
    for (const value of [...noTexts, '', textOfBytes(max + 1)]) add(field, value, 'invalid_argument')
  }
  for (const field of required) for (const value of [null, undefined]) add(field, value, 'invalid_argument')
  const alphabet = /^[A-Za-z0-9._~-]+$/
  for (const value of [...strangeTexts.filter((text) => !alphabet.test(text)), ...noTexts, '', 'x'.repeat(129)]) {
    add('namespace', value, 'invalid_argument')
  }
  for (const text of unstorableTexts) add('namespace', text, 'invalid_json')
  for (const value of [...noIntegers, null, -1, 8_640_000_000_000_001]) add('occurredAt', value, 'invalid_argument')
  for (const value of ['job.created', 'job.', 'task.x', 'slot.x', 'group.x', 'schedule.x', 'template.x', 'worker.x']) {
    add('type', value, 'reserved_event_type')
  }
  for (const attributes of noAttributes)
    cases.push(['attributes', typeof attributes, event({ attributes }), 'invalid_argument'])
  for (const attributes of noJson) cases.push(['attributes', 'not JSON', event({ attributes }), 'invalid_json'])
  const large = { a: 'x'.repeat(262_144) }
  cases.push(['attributes', 'too large', event({ attributes: large }), 'payload_too_large'])
  for (const value of noObjects) cases.push(['an event', label(value), value, 'invalid_argument'])
  return cases
}

export function eventInputs(setup: Setup): void {
  describe('hostile events', () => {
    it('are refused with a code and the name of the field, and nothing is written', async () => {
      const fixture = await setup()
      const cases = refusedCases()
      const answers = await fixture.store.append(cases.map(([, , given]) => given as NewEvent))
      const wrong = cases.flatMap(([field, what, , code], i) => {
        const found = refusalOf(answers[i], field)
        return found === code ? [] : [`${field} ${what}: ${found} instead of ${code}`]
      })
      expect(wrong).toEqual([])
      expect(cases.length).toBeGreaterThan(300)
      expect(await rowCounts(fixture)).toEqual(nothing)
    })

    it('with strange texts in every field are recorded and come back as they were', async () => {
      const fixture = await setup()
      const observed = (text: string) => ({ executionId: text, traceId: text, spanId: text })
      const given = strangeTexts.map((text) => ({
        ...event({ source: text, id: text, type: text, jobId: text, taskId: text, ...observed(text) }),
        attributes: { [text]: text, deep: { [text]: [text, null, 1.5, true] } },
      }))
      expect(await fixture.store.append(given)).toEqual(given.map(() => ({ outcome: 'recorded' })))
      expect(await fixture.store.append(given)).toEqual(given.map(() => ({ outcome: 'duplicate' })))
      const entries = await readAll(fixture)
      for (const [i, text] of strangeTexts.entries()) {
        const { source, eventId, eventType, jobId, taskId, executionId, traceId, spanId } = entries[i] ?? {}
        const texts = [source, eventId, eventType, jobId, taskId, executionId, traceId, spanId]
        expect(texts).toEqual(texts.map(() => text))
        expect(JSON.stringify(entries[i]?.attributes)).toBe(JSON.stringify(given[i]?.attributes))
      }
    })

    it('may go to the limits, and no further', async () => {
      const fixture = await setup()
      const given = [
        ...textFields.map(([field, max]) => event({ [field]: textOfBytes(max) })),
        event({ namespace: 'n'.repeat(128) }),
        ...[0, 8_640_000_000_000_000].map((occurredAt) => event({ occurredAt })),
        ...[deep(100), { a: 'x'.repeat(262_136) }, {}].map((attributes) => event({ attributes })),
        event({ attributes: null, jobId: null, taskId: null, traceId: null, occurredAt: undefined }),
      ]
      expect(await fixture.store.append(given)).toEqual(given.map(() => ({ outcome: 'recorded' })))
      const entries = await readAll(fixture)
      expect(entries.map(({ eventId }) => eventId)).toEqual(given.map(({ id }) => id))
      expect(entries.map(({ attributes }) => attributes)).toEqual(given.map(({ attributes }) => attributes ?? {}))
    })

    it('are told apart by the bytes of source and id, and find a job only by its very id', async () => {
      const { store } = await setup()
      const twins = ['Å', 'A\u030a', 'a', 'A', 'a ', '"', '","', '\\', '["a"]']
      const pairs = twins.flatMap((source) => twins.map((id) => event({ source, id })))
      expect(await store.append(pairs)).toEqual(pairs.map(() => ({ outcome: 'recorded' })))

      const { job } = await submitOne(store, {
        awaits: { events: [{ eventType: 'x', match: {}, times: 1, taskId: null }] },
      })
      const others = [
        job.id.toUpperCase(),
        ` ${job.id}`,
        `${job.id} `,
        `{${job.id}}`,
        newId(),
        `p:d:n:${job.id}:`,
        '%',
        job.name,
      ]
      const answers = await store.append(others.map((jobId) => event({ jobId, type: 'x' })))
      expect(answers).toEqual(others.map(() => ({ outcome: 'recorded' })))
      expect((await store.find([{ id: job.id }]))[0]?.job.awaits?.decided).toBeNull()
      await store.append([event({ jobId: `p:d:n:${job.id}`, type: 'x' })])
      expect((await store.find([{ id: job.id }]))[0]?.job.awaits?.decided).toBe('complete')
    })
  })
}
