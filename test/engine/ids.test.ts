import { describe, expect, it } from 'vitest'
import { idMaker, shortId } from '../../src/engine/ids.ts'
import { isUuid } from '../../src/store/check-input.ts'

describe('ids', () => {
  it('are UUIDs of version 7 with the time in front', () => {
    const id = idMaker(() => 1_700_000_000_000)()
    expect(isUuid(id)).toBe(true)
    expect(id[14]).toBe('7')
    expect('89ab').toContain(id[19])
    expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(1_700_000_000_000)
  })

  it('only go up, also within a millisecond and when the clock goes back', () => {
    let time = 1_700_000_000_000
    const next = idMaker(() => time)
    const made: string[] = []
    for (let i = 0; i < 50_000; i++) {
      if (i % 1_000 === 0) time += i % 3_000 === 0 ? -5_000 : 7
      made.push(next())
    }
    expect(made).toEqual([...made].sort())
    expect(new Set(made).size).toBe(made.length)
  })

  it('have short forms that differ', () => {
    const next = idMaker()
    const short = Array.from({ length: 10_000 }, () => shortId(next()))
    expect(new Set(short).size).toBe(short.length)
    expect(Math.max(...short.map(({ length }) => length))).toBeLessThanOrEqual(15)
  })
})
