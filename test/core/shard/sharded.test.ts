import { describe, expect, it } from 'vitest'
import { type ShardCounts, shardStep } from '../../../src/core/shard/sharded.ts'

describe('what follows from where tasks stand', () => {
  const counts = (fields: Partial<ShardCounts>): ShardCounts => {
    return { total: 10, adopted: 0, opened: 0, done: 0, failed: 0, ...fields }
  }

  it('as many are open as there is width for, and no more than there are', () => {
    expect(shardStep(counts({}), { width: 4, tolerate: 0 }, false)).toEqual({ type: 'open', count: 4 })
    expect(shardStep(counts({ opened: 4, done: 3 }), { width: 4, tolerate: 0 }, false)).toEqual({
      type: 'open',
      count: 3,
    })
    expect(shardStep(counts({ opened: 8, done: 8 }), { width: 4, tolerate: 0 }, false)).toEqual({
      type: 'open',
      count: 2,
    })
    expect(shardStep(counts({ opened: 4 }), { width: 4, tolerate: 0 }, false)).toEqual({ type: 'open', count: 0 })
    expect(shardStep(counts({ adopted: 9 }), { width: 4, tolerate: 0 }, false)).toEqual({ type: 'open', count: 1 })
  })

  it('all are gathered when the last is over, those that were adopted and those that may fail among them', () => {
    expect(shardStep(counts({ opened: 10, done: 10 }), { width: 4, tolerate: 0 }, false).type).toBe('gather')
    expect(shardStep(counts({ opened: 10, done: 8, failed: 2 }), { width: 4, tolerate: 2 }, false).type).toBe('gather')
    expect(shardStep(counts({ adopted: 7, opened: 3, done: 3 }), { width: 4, tolerate: 0 }, false).type).toBe('gather')
    expect(shardStep(counts({ adopted: 10 }), { width: 4, tolerate: 0 }, false).type).toBe('gather')
  })

  it('one failure more than the job tolerates fails it, and one that says so fails it in any case', () => {
    expect(shardStep(counts({ opened: 4, failed: 1 }), { width: 4, tolerate: 0 }, false).type).toBe('fail')
    expect(shardStep(counts({ opened: 4, failed: 2 }), { width: 4, tolerate: 2 }, false).type).toBe('open')
    expect(shardStep(counts({ opened: 4, failed: 3 }), { width: 4, tolerate: 2 }, false).type).toBe('fail')
    expect(shardStep(counts({ opened: 4, failed: 1 }), { width: 4, tolerate: 9 }, true).type).toBe('fail')
  })
})
