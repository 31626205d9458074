import { describe, expect, it } from 'vitest'
import { createSlot, failSlot, fillSlot, rejectSlot, type Slot } from '../../../src/core/slot/slot.ts'
import { codeOf } from '../job/life.ts'

const open = createSlot({ label: 'ok?', dueAt: null, value: null, madeBy: null }).slot
const filled = fillSlot(open, { value: '{"a":1,"b":[2]}', by: 'ada' }, 5).slot
const failed = failSlot(open, 'nobody came', 6).slot

describe('a slot', () => {
  it('is open at first', () => {
    const { slot, events } = createSlot({ label: 'ok?', dueAt: 9, value: '1', madeBy: 'job' })
    expect(slot).toEqual({
      ...{ status: 'OPEN', label: 'ok?', dueAt: 9, value: '1', madeBy: 'job' },
      ...{ error: null, filledBy: null, settledAt: null },
    } satisfies Slot)
    expect(events).toEqual([{ type: 'slot.created', data: { label: 'ok?', dueAt: 9, madeBy: 'job' } }])
    expect(createSlot({ ...slot, dueAt: null, madeBy: null }).events[0]?.data).toEqual({ label: 'ok?' })
  })

  it('is filled once, and knows by whom', () => {
    expect(filled).toMatchObject({ status: 'FILLED', value: '{"a":1,"b":[2]}', filledBy: 'ada', settledAt: 5 })
    expect(fillSlot(open, { value: '1', by: 'bob' }, 5).events).toEqual([{ type: 'slot.filled', data: { by: 'bob' } }])
  })

  it('takes the same value again, in whatever order it is written', () => {
    for (const value of ['{"a":1,"b":[2]}', '{"b":[2],"a":1}', '{ "a": 1.0, "b": [2] }']) {
      expect(fillSlot(filled, { value, by: 'bob' }, 9)).toEqual({ slot: filled, events: [] })
    }
  })

  it.each(['{"a":1,"b":[2,3]}', '{"a":1}', 'null', '[1]'])('refuses another value: %s', (value) => {
    expect(codeOf(() => fillSlot(filled, { value, by: 'bob' }, 9))).toBe('slot_filled')
    const empty: Slot = { ...filled, value: null }
    expect(codeOf(() => fillSlot(empty, { value: '1', by: 'bob' }, 9))).toBe('slot_filled')
  })

  it('that has failed is closed for ever', () => {
    expect(failed).toMatchObject({ status: 'FAILED', error: 'nobody came', value: null, settledAt: 6 })
    expect(codeOf(() => fillSlot(failed, { value: '1', by: 'bob' }, 9))).toBe('slot_closed')
    expect(failSlot(failed, 'again', 9)).toEqual({ slot: failed, events: [] })
    expect(rejectSlot(open, 'no', 7).events).toEqual([{ type: 'slot.failed', data: { error: 'no' } }])
  })

  it('that has a value keeps it', () => {
    expect(failSlot(filled, 'too late', 9)).toEqual({ slot: filled, events: [] })
    expect(codeOf(() => rejectSlot(filled, 'too late', 9))).toBe('slot_filled')
  })
})
