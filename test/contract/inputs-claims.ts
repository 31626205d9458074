import { describe, expect, it } from 'vitest'
import type { ClaimRequest } from '../../src/store/store.ts'
import { verify } from '../../src/store/verify.ts'
import { codeOf, type Setup, submission, submitOne } from '../support/fixture.ts'
import { claimOf, claimOne, completion } from '../support/requests.ts'
import { label, noIntegers, noObjects, noTexts, rowCounts, strangeTexts, unstorableTexts } from '../support/zoo.ts'

const plain = /^[A-Za-z0-9._~:-]+$/
const noIds: readonly unknown[] = [
  ...[...strangeTexts.filter((text) => !plain.test(text)), ...unstorableTexts, ...noTexts],
  ...['', 'x'.repeat(129), 'ä', null, undefined],
]

type Case = readonly [field: string, value: unknown, given: unknown]

function refusedCases(): readonly Case[] {
  const put = (field: string, value: unknown): Case => [field, value, { ...claimOf(), [field]: value }]
  const counts = [...noIntegers, -1, 10_001]
  return [
    ...noIds.flatMap((value) => [put('workerId', value), put('token', value)]),
    ...noIds.map((value): Case => ['type', value, { ...claimOf(), types: ['work', value] }]),
    ...[undefined, null, 'work', 5, {}, true].map((value) => put('types', value)),
    ...[...counts, null, undefined].map((value) => put('limit', value)),
    ...counts.map((value) => put('suspectLimit', value)),
    ...[...noIntegers, -1, null].map((value) => put('now', value)),
    ...['/a', 5, {}, true, [], Array.from({ length: 101 }, (_, i) => `/a${i}`)].map((value) => put('paths', value)),
    ...[...noTexts, ...unstorableTexts, '', null, `/${'x'.repeat(1_000)}`].map((path): Case => {
      return ['paths', path, { ...claimOf(), paths: ['/a', path] }]
    }),
    ...['a', '/', '//', '/a/', '/a//b', ' /a', '/ '].map((path): Case => {
      return ['job name', path, { ...claimOf(), paths: [path] }]
    }),
    ...[5, 'namespace', [], true].map((value) => put('fairness', value)),
    ...[...noTexts, ...unstorableTexts, '', 'x'.repeat(1_001)].map((after): Case => {
      return ['fairness.after', after, { ...claimOf(), fairness: { after } }]
    }),
    ...[null, 5, 'x', [], true].map((value) => put('context', value)),
    ...[...noTexts, '', 'x'.repeat(256)].map((actor): Case => ['actor', actor, { ...claimOf(), context: { actor } }]),
    ...unstorableTexts.map((actor): Case => ['actor', actor, { ...claimOf(), context: { actor } }]),
    ...noObjects.map((value): Case => ['a claim', value, value]),
  ]
}

export function claimInputs(setup: Setup): void {
  describe('hostile claims', () => {
    it('are refused with a code and the name of the field, and take nothing', async () => {
      const fixture = await setup()
      await fixture.store.submit([submission()])
      const before = await rowCounts(fixture)
      const wrong: string[] = []
      for (const [field, value, given] of refusedCases()) {
        const answer = await fixture.store.claim(given as ClaimRequest).catch((error: unknown) => error)
        const isRefusal = answer instanceof Error && 'code' in answer && /^invalid_/.test(String(answer.code))
        if (!isRefusal || !answer.message.includes(field)) wrong.push(`${field} ${label(value)}: ${String(answer)}`)
      }
      expect(wrong).toEqual([])
      expect(await rowCounts(fixture)).toEqual(before)
      expect(await fixture.store.claim(claimOf({ limit: 10_000 }))).toHaveLength(1)
    })

    it('find types by their bytes, and take none where none is asked for', async () => {
      const { store } = await setup()
      const types = ['__proto__', 'constructor', 'toString', 'A', 'a', '-', '.', '~', ':', '_', '0', 'x'.repeat(128)]
      expect((await store.submit(types.map((type) => submission({ type })))).map(codeOf)).toEqual(
        types.map(() => 'created'),
      )
      expect(await store.claim(claimOf({ types: [] }))).toEqual([])
      expect(await store.claim(claimOf({ types, limit: 0 }))).toEqual([])
      expect(await store.claim(claimOf({ types: ['b', 'X', 'nobody', 'valueOf'] }))).toEqual([])
      for (const type of types) {
        const claimed = await store.claim(claimOf({ types: [type, type, type] }))
        expect(claimed.map(({ job }) => job.type)).toEqual([type])
      }
    })

    it('with strange texts as paths and namespaces take nothing that is not there', async () => {
      const { store } = await setup()
      await submitOne(store, { name: '/test/fine' })
      const paths = strangeTexts.filter((text) => text.trim() !== '' && !text.includes('/')).map((text) => `/${text}`)
      expect(await store.claim(claimOf({ paths }))).toEqual([])
      expect(await store.claim(claimOf({ paths: paths.map((path) => `/test${path}`) }))).toEqual([])
      for (const after of strangeTexts) {
        expect(await store.claim(claimOf({ paths, fairness: { after } }))).toEqual([])
      }
      expect(await store.claim(claimOf({ fairness: { after: '\u{10ffff}' } }))).toHaveLength(1)
      expect(await verify(store)).toEqual([])
    })

    it('of a clock that was set back start what was ready, and not before its time', async () => {
      const { store } = await setup()
      await submitOne(store, { timeoutMs: 10 }, 5_000)
      const claimed = await claimOne(store, { now: 1_000 })
      expect(claimed.job).toMatchObject({ startedAt: 5_000, attemptDeadlineAt: 5_010 })
      expect(await store.find([{ id: claimed.job.id }])).toEqual([claimed])
      const [result] = await store.apply([completion(claimed)], { now: 2_000 })
      expect(codeOf(result)).toBe('ok')
      expect(await verify(store)).toEqual([])
    })
  })
}
