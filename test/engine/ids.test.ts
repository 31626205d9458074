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

  // Whoever repeats a request gives its job an id made of a hash, so any bits may stand where the time is.
  it('have short forms of letters and digits alone, also where somebody else made the id', () => {
    const starts = [
      '00b262bd-5a3c',
      '00000000-0000',
      '016f5e66-e7ff',
      '016f5e66-e800',
      '7fffffff-ffff',
      'ffffffff-ffff',
    ]
    const short = starts.map((start) => shortId(`${start}-8abc-bfff-ffffffffffff`))
    expect(short.filter((text) => !/^[0-9a-z]{15,17}$/.test(text))).toEqual([])
    expect(new Set(short).size).toBe(starts.length)
  })
})
