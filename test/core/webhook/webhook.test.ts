import { describe, expect, it } from 'vitest'
import {
  disabled,
  enabled,
  failuresMax,
  isTypePattern,
  isWanted,
  rotated,
  secretsAt,
  told,
  type Webhook,
} from '../../../src/core/webhook/webhook.ts'

const hook: Webhook = {
  url: 'https://example.com/',
  scope: null,
  types: ['job.run.*', 'parcel.arrived'],
  label: null,
  secret: 'new',
  previous: null,
  status: 'ACTIVE',
  reason: null,
  since: 0,
  cursor: '0',
  failures: 0,
}

describe('a webhook', () => {
  it.each([
    ['job.run.completed', true],
    ['job.run.', true],
    ['job.runs', false],
    ['parcel.arrived', true],
    ['parcel.arrived.late', false],
  ])('of some types is told of %s: %s', (type, expected) => {
    expect(isWanted(hook, type)).toBe(expected)
    expect(isWanted({ types: ['*'] }, type)).toBe(true)
  })

  it.each([
    ['*', true],
    ['job.*', true],
    ['job.run.completed', true],
    ['job*', false],
    ['*.completed', false],
    ['job.*.completed', false],
    ['.*', false],
    ['job..*', false],
    ['', false],
  ])('takes %j for a type: %s', (pattern, expected) => {
    expect(isTypePattern(pattern)).toBe(expected)
  })

  it('signs with both secrets while they are changed', () => {
    const changed = rotated(hook, 'newer', 100)
    expect(secretsAt(hook, 0)).toEqual(['new'])
    expect(secretsAt(changed, 99)).toEqual(['newer', 'new'])
    expect(secretsAt(changed, 100)).toEqual(['newer'])
  })

  it('is disabled when its receiver is gone, or takes nothing any more', () => {
    expect(told(hook, 'gone')).toMatchObject({ status: 'DISABLED', reason: 'the receiver answered 410 Gone' })
    let failing: Webhook = hook
    for (let i = 1; i < failuresMax; i++) failing = told(failing, 'failed')
    expect(failing).toMatchObject({ status: 'ACTIVE', failures: failuresMax - 1 })
    expect(told(failing, 'failed')).toMatchObject({
      status: 'DISABLED',
      reason: `${failuresMax} messages in a row could not be delivered`,
    })
    expect(told(failing, 'delivered')).toMatchObject({ status: 'ACTIVE', failures: 0 })
    expect(told(hook, 'delivered')).toBe(hook)
  })

  it('keeps the reason why it is disabled, and begins anew when it is enabled', () => {
    const off = disabled({ ...hook, failures: failuresMax }, 'for now')
    expect(told(off, 'failed').reason).toBe('for now')
    expect(told(off, 'gone')).toBe(off)
    expect(enabled(off, 7, '5')).toEqual({ ...hook, since: 7, cursor: '5' })
  })
})
