import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { newId, type Setup, submission } from '../support/fixture.ts'
import { claimOne } from '../support/requests.ts'
import {
  label,
  noIntegers,
  noObjects,
  noTexts,
  rowCounts,
  strangeTexts,
  textOfBytes,
  unstorableTexts,
} from '../support/zoo.ts'

/** The field that the error must name, what stands in it, the call, the code. */
type Case = readonly [field: string, value: unknown, call: (store: Store) => Promise<unknown>, code: string]

const invalid = 'invalid_argument'
const plain = /^[A-Za-z0-9._~:-]+$/
const noIds: readonly unknown[] = [
  ...[...strangeTexts.filter((text) => !plain.test(text)), ...unstorableTexts, ...noTexts],
  ...['', 'x'.repeat(129), 'ä', null, undefined],
]
const noLimits: readonly unknown[] = [...noIntegers, 0, -1, 100_001, null, undefined]
const noInstants: readonly unknown[] = [...noIntegers, -1, null]

/** Calls of methods with anything at all, as callers in JavaScript make them. */
type Loose = { readonly [M in keyof Store]-?: (...given: readonly unknown[]) => Promise<unknown> }

function calling(method: keyof Store, ...given: readonly unknown[]): Case[2] {
  return async (store) => await (store as unknown as Loose)[method](...given)
}

function workerCases(): readonly Case[] {
  const worker = { id: 'w9', name: 'nine', leaseMs: 1_000 }
  const renewal = { workerId: 'w9', leaseMs: 1_000 }
  const leases = [...noIntegers, 0, -1, 86_400_001, null, undefined]
  return [
    ...noObjects.map((value): Case => ['a worker', value, calling('register', value), invalid]),
    ...noIds.map((id): Case => ['id', id, calling('register', { ...worker, id }), invalid]),
    ...[...noTexts, '', null, undefined, textOfBytes(256)].map((name): Case => {
      return ['name', name, calling('register', { ...worker, name }), invalid]
    }),
    ...unstorableTexts.map((name): Case => ['name', name, calling('register', { ...worker, name }), 'invalid_json']),
    ...leases.map((leaseMs): Case => ['leaseMs', leaseMs, calling('register', { ...worker, leaseMs }), invalid]),
    ...['/a', 5, [], ['/a', 5], ['']].map(
      (paths): Case => ['paths', paths, calling('register', { ...worker, paths }), invalid],
    ),
    ['job name', 'a', calling('register', { ...worker, paths: ['a'] }), 'invalid_name'],
    ...noObjects.map((value): Case => ['a renewal', value, calling('renew', value), invalid]),
    ...leases.map((leaseMs): Case => ['leaseMs', leaseMs, calling('renew', { ...renewal, leaseMs }), invalid]),
    ...noIds.flatMap((id): readonly Case[] => [
      ['workerId', id, calling('renew', { ...renewal, workerId: id }), invalid],
      ['workerId', id, calling('retire', id), invalid],
      ['workerId', id, calling('held', id), invalid],
    ]),
    ...noInstants.flatMap((now): readonly Case[] => [
      ['now', now, calling('register', worker, { now }), invalid],
      ['now', now, calling('renew', { ...renewal, now }), invalid],
      ['now', now, calling('buryLost', { now }), invalid],
      ['now', now, calling('report', [], { now }), invalid],
    ]),
  ]
}

function upkeepCases(): readonly Case[] {
  const overdue = { after: null, limit: 10 }
  const branch = { name: '/test', reason: 'test' }
  return [
    ...noObjects.flatMap((value) => {
      return (['orphans', 'overdue', 'followUp', 'cancelBranch'] as const).map((method): Case => {
        return ['a request', value, calling(method, value), invalid]
      })
    }),
    ...noLimits.flatMap((limit) => {
      return (['orphans', 'overdue', 'followUp'] as const).map((method): Case => {
        return ['limit', limit, calling(method, { after: null, limit }), invalid]
      })
    }),
    ...[...noIntegers, -1].map((after): Case => ['after', after, calling('orphans', { after, limit: 1 }), invalid]),
    ...noObjects
      .filter((value) => value !== null && value !== undefined)
      .map((after): Case => ['after', after, calling('overdue', { ...overdue, after }), invalid]),
    ...[...noIntegers, -1, null, undefined].flatMap((value): readonly Case[] => [
      ['after.at', value, calling('overdue', { ...overdue, after: { at: value, job: 1 } }), invalid],
      ['after.job', value, calling('overdue', { ...overdue, after: { at: 1, job: value } }), invalid],
    ]),
    ...noInstants.flatMap((now): readonly Case[] => [
      ['now', now, calling('overdue', { ...overdue, now }), invalid],
      ['now', now, calling('followUp', { limit: 1, now }), invalid],
    ]),
    ...['', '/', 'a', '/a/', '//', null, undefined, 5, {}].map((name): Case => {
      return ['name', name, calling('cancelBranch', { ...branch, name }), 'invalid_name']
    }),
    ...[...noTexts, '', null, undefined, textOfBytes(4_097)].map((reason): Case => {
      return ['reason', reason, calling('cancelBranch', { ...branch, reason }), invalid]
    }),
    ...unstorableTexts.flatMap((text): readonly Case[] => [
      ['reason', text, calling('cancelBranch', { ...branch, reason: text }), 'invalid_json'],
      ['context.actor', text, calling('cancelBranch', { ...branch, context: { actor: text } }), 'invalid_json'],
    ]),
  ]
}

function readerCases(): readonly Case[] {
  const logs = { jobId: newId(), attempt: 1, limit: 10 }
  const list = (fields: object) => calling('list', { limit: 10, ...fields })
  return [
    ...noObjects.flatMap((value): readonly Case[] => [
      ['a request', value, calling('logs', value), invalid],
      ['a request', value, calling('list', value), invalid],
    ]),
    ...noLimits.flatMap((limit): readonly Case[] => [
      ['limit', limit, calling('logs', { ...logs, limit }), invalid],
      ['limit', limit, list({ limit }), invalid],
    ]),
    ...[...noIntegers, -1, 2 ** 31].flatMap((value): readonly Case[] => [
      ['attempt', value, calling('logs', { ...logs, attempt: value }), invalid],
      ['afterSeq', value, calling('logs', { ...logs, afterSeq: value }), invalid],
    ]),
    ...[...noIntegers, -1].map((before): Case => ['before', before, list({ before }), invalid]),
    ...['', 'QUEUED', 'pending', '__proto__', 5, null, {}, ['queued']].map((status): Case => {
      return ['status', status, list({ status }), invalid]
    }),
    ...['', 'failed', 0, null, {}, '__proto__'].map(
      (outcome): Case => ['outcome', outcome, list({ outcome }), invalid],
    ),
    ...[0, 1, 'true', null, {}].map((cancelled): Case => ['cancelled', cancelled, list({ cancelled }), invalid]),
    ...[0, 1, 'true', null, {}].map((tasks): Case => ['tasks', tasks, list({ tasks }), invalid]),
    ...['', '/', 'a', '/a/', null, 5].map((branch): Case => ['name', branch, list({ branch }), 'invalid_name']),
    ...['', 'a b', 5, null, 'x'.repeat(129)].map((type): Case => ['type', type, list({ type }), invalid]),
    ...[...noTexts, '', textOfBytes(256)].map((key): Case => ['key', key, list({ key }), invalid]),
    ...unstorableTexts.map((key): Case => ['key', key, list({ key }), 'invalid_json']),
    ...noObjects
      .filter((value) => value !== undefined)
      .map((value): Case => ['label', value, list({ label: value }), invalid]),
    ...[...noTexts, '', null, undefined].flatMap((value): readonly Case[] => [
      ['label.name', value, list({ label: { name: value, value: 'x' } }), invalid],
      ['label.value', value, list({ label: { name: 'x', value } }), invalid],
    ]),
    ...unstorableTexts.map((value): Case => {
      return ['label.value', value, list({ label: { name: 'x', value } }), 'invalid_json']
    }),
  ]
}

interface Refusal {
  readonly code?: unknown
  readonly message?: unknown
  readonly details?: { readonly field?: unknown; readonly rule?: unknown }
}

/** One line about what is wrong with an answer; null when it is the refusal that was expected. */
function wrongWith(answer: unknown, field: string, code: string): string | null {
  if (!(answer instanceof Error)) return 'accepted'
  const { code: given, message, details } = answer as Refusal
  if (given !== code) return `${String(given)} instead of ${code}: ${String(message)}`
  if (!String(message).includes(field)) return `does not name ${field}: ${String(message)}`
  if (code !== 'invalid_name' && !String(details?.field).includes(field.replace(/^a /, ''))) {
    return `has the field ${String(details?.field)}`
  }
  return typeof details?.rule === 'string' ? null : 'has no rule'
}

export function workInputs(setup: Setup): void {
  describe('hostile requests', () => {
    it.each([
      ['of workers', workerCases(), 200],
      ['of upkeep', upkeepCases(), 150],
      ['of readers', readerCases(), 150],
    ])('%s are refused with code, field and rule, and change nothing', async (_, cases, least) => {
      const fixture = await setup()
      const { store } = fixture
      await store.submit([submission(), submission()])
      await claimOne(store)
      const before = await rowCounts(fixture)
      const wrong: string[] = []
      for (const [field, value, call, code] of cases) {
        const answer = await call(store).catch((error: unknown) => error)
        const found = wrongWith(answer, field, code)
        if (found !== null) wrong.push(`${field} ${label(value)}: ${found}`)
      }
      expect(wrong).toEqual([])
      expect(cases.length).toBeGreaterThan(least)
      expect(await rowCounts(fixture)).toEqual(before)
      for (const table of ['workers', 'follow_ups', 'progress', 'checkpoints', 'run_logs']) {
        expect(await fixture.raw(`select 1 from ${table}`), table).toEqual([])
      }
    })
  })
}
