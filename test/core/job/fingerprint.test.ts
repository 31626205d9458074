import { expect, test } from 'vitest'
import { fingerprintOf } from '../../../src/core/job/fingerprint.ts'

test.each([
  ['451 the server mx1.example is busy, try again in 60 s', '<n> the server mx<n>.example is busy, try again in <n> s'],
  ['550 no mailbox ada@example.com', '<n> no mailbox <address>'],
  ['GET https://example.com/a?b=1 gave 502', 'GET <url> gave <n>'],
  ['no such file \'a/b.txt\', "c d" or `e`', 'no such file <text>, <text> or <text>'],
  ['job 019a8e2c-5a3c-7abc-8def-0123456789ab of deadbeef42 is gone', 'job <id> of <id> is gone'],
  ['facade and 2026-11-16T10:00:00.123Z', 'facade and <n>-<n>-<n>T<n>Z'],
  ['one\n  at somewhere.ts:12', 'one'],
  ['  much \t space ', 'much space'],
  ['', ''],
])('%s', (error, expected) => {
  expect(fingerprintOf(error)).toBe(expected)
})

test('a long error is as quick as a short one, and its fingerprint is short', () => {
  expect(fingerprintOf('x '.repeat(1_000_000))).toHaveLength(200)
  expect(fingerprintOf(`${'a1'.repeat(5_000)}'`).length).toBeLessThanOrEqual(200)
})
