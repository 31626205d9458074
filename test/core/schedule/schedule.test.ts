import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firesBetween } from '../../../src/core/schedule/fires.ts'
import { parseTiming } from '../../../src/core/schedule/parse-timing.ts'
import {
  advance,
  blockSchedule,
  type CatchUp,
  changeSchedule,
  createSchedule,
  deleteSchedule,
  disableSchedule,
  dueInstants,
  enableSchedule,
  jitterOf,
  type Schedule,
  type ScheduleContent,
} from '../../../src/core/schedule/schedule.ts'

const minute = 60_000
const start = Date.UTC(2026, 2, 28, 12)

const content: ScheduleContent = {
  label: null,
  template: null,
  type: 'work',
  timing: { intervalMs: minute },
  overlap: 'allow',
  catchUp: { mode: 'latest' },
  jitterMs: 0,
  overrides: {},
}

function enabled(fields: Partial<Schedule> = {}): Schedule {
  return { ...createSchedule({ ...content, ...fields }, true, start).schedule, ...fields }
}

describe('the life of a schedule', () => {
  it('goes from CREATED by ENABLED and DISABLED to DELETED, and repeats nothing', () => {
    const created = createSchedule(content, false, start)
    expect([created.schedule.status, created.events.map(({ type }) => type)]).toEqual(['CREATED', ['schedule.created']])
    const on = enableSchedule(created.schedule, start)
    expect(on.schedule).toMatchObject({ status: 'ENABLED', nextTriggerAt: start + minute })
    expect(enableSchedule(on.schedule, start).events).toEqual([])
    const off = disableSchedule(on.schedule)
    expect(off.schedule).toMatchObject({ status: 'DISABLED', nextTriggerAt: null })
    expect(disableSchedule(off.schedule).events).toEqual([])
    const gone = deleteSchedule(off.schedule)
    expect(gone.schedule.status).toBe('DELETED')
    expect(deleteSchedule(gone.schedule).events).toEqual([])
    for (const act of [() => enableSchedule(gone.schedule, start), () => disableSchedule(gone.schedule)]) {
      expect(act).toThrow(/deleted/)
    }
    expect(() => changeSchedule(gone.schedule, {}, start)).toThrow(/deleted/)
  })

  it('forgets why it was blocked when it is enabled again', () => {
    const blocked = blockSchedule(enabled(), 'why')
    expect(blocked.schedule).toMatchObject({ status: 'DISABLED', blocked: 'why', nextTriggerAt: null })
    expect(enableSchedule(blocked.schedule, start).schedule.blocked).toBeNull()
  })

  it('keeps an instant that is due when its times change and it is one of the new, too', () => {
    const due = enabled()
    const now = start + minute + 10
    expect(changeSchedule(due, { timing: { intervalMs: minute / 2 } }, now).schedule.nextTriggerAt).toBe(start + minute)
    expect(changeSchedule(due, { timing: { intervalMs: 7 * minute } }, now).schedule.nextTriggerAt).toBeGreaterThan(now)
    const off = disableSchedule(due).schedule
    expect(changeSchedule(off, { timing: { intervalMs: 5 } }, now).schedule.nextTriggerAt).toBeNull()
    const named = changeSchedule(due, { label: 'x' }, start).schedule
    expect(named).toMatchObject({ label: 'x', nextTriggerAt: start + minute })
  })

  it('begins with at least one instant to come, and never loses the last by a change', () => {
    const over = { timing: { intervalMs: minute, endAt: start - 1 } }
    expect(() => createSchedule({ ...content, ...over }, true, start)).toThrow(/at least once/)
    expect(() => changeSchedule(enabled(), over, start)).toThrow(/at least once/)
  })
})

describe('what is due', () => {
  it('is nothing before its time, and nothing that is no longer one of its times', () => {
    expect(dueInstants(enabled(), start)).toEqual({ instants: [], missedFrom: null, next: start + minute })
    expect(dueInstants(enabled({ nextTriggerAt: null }), start).instants).toEqual([])
    // The rules of a time zone were changed since it was computed.
    const odd = enabled({ timing: { cron: '0 0 1 1 *' }, nextTriggerAt: start + 5 })
    expect(dueInstants(odd, start + 10)).toEqual({ instants: [], missedFrom: null, next: Date.UTC(2027, 0, 1) })
    const skipped = advance(odd, dueInstants(odd, start + 10))
    expect(skipped).toMatchObject({ lastTriggeredAt: null, nextTriggerAt: Date.UTC(2027, 0, 1) })
    const early = enabled({ timing: { intervalMs: minute, startAt: start + minute }, nextTriggerAt: start })
    expect(dueInstants(early, start + 1).instants).toEqual([])
  })

  const crons = ['* * * * *', '*/7 * * * *', '30 2 * * *', '0 */3 * * 1-5', '15,45 1-3 * * *']
  const timings = fc.record({
    cron: fc.constantFrom(...crons),
    timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'),
  })

  it('is, with all of a window, every instant once and in order, in whatever steps it is looked at', () => {
    const catchUp: CatchUp = { mode: 'all', windowMs: 100 * 86_400_000, max: 1_000 }
    const steps = fc.array(fc.integer({ min: 0, max: 900 * minute }), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(timings, steps, (timing, waits) => {
        let schedule = createSchedule({ ...content, timing, catchUp }, true, start).schedule
        const fired: number[] = []
        let now = start
        for (const wait of waits) {
          now += wait
          for (let due = dueInstants(schedule, now); due.instants.length > 0; due = dueInstants(schedule, now)) {
            expect(due.missedFrom).toBeNull()
            fired.push(...due.instants)
            schedule = advance(schedule, due)
          }
        }
        expect(fired).toEqual(firesBetween(parseTiming(timing), start, now, 10_000))
      }),
    )
  })

  it('is, with the latest, one instant at most, and goes on after now', () => {
    fc.assert(
      fc.property(timings, fc.integer({ min: 0, max: 20_000 * minute }), (timing, wait) => {
        const now = start + wait
        const due = dueInstants(createSchedule({ ...content, timing }, true, start).schedule, now)
        const latest = firesBetween(parseTiming(timing), start, now, 200_000).at(-1)
        expect(due.instants).toEqual(latest === undefined ? [] : [latest])
        expect(due.next).toBeGreaterThan(now)
      }),
      { numRuns: 30 },
    )
  })

  it('is cut to the newest, and to the window', () => {
    const all = (windowMs: number, max: number) => {
      const schedule = enabled({ catchUp: { mode: 'all', windowMs, max } })
      const { instants, missedFrom } = dueInstants(schedule, start + 10 * minute)
      return [instants.map((at) => (at - start) / minute), missedFrom === null ? null : (missedFrom - start) / minute]
    }
    expect(all(60 * minute, 3)).toEqual([[8, 9, 10], 1])
    expect(all(3 * minute, 100)).toEqual([[7, 8, 9, 10], 1])
    expect(all(60 * minute, 10)).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], null])
  })

  it('is nothing when the window is shorter than the time since the latest', () => {
    const timing = { intervalMs: 60 * minute }
    const catchUp: CatchUp = { mode: 'all', windowMs: minute, max: 5 }
    const schedule = enabled({ catchUp, timing, nextTriggerAt: start + 60 * minute })
    expect(dueInstants(schedule, start + 130 * minute)).toEqual({
      instants: [],
      missedFrom: start + 60 * minute,
      next: start + 180 * minute,
    })
  })

  it('is, with none, what is late but not what was missed', () => {
    const timing = { intervalMs: 10 * minute }
    const schedule = enabled({ catchUp: { mode: 'none' }, timing, nextTriggerAt: start + 10 * minute })
    expect(dueInstants(schedule, start + 10 * minute + 59_000).instants).toEqual([start + 10 * minute])
    expect(dueInstants(schedule, start + 12 * minute)).toEqual({
      instants: [],
      missedFrom: start + 10 * minute,
      next: start + 20 * minute,
    })
    expect(dueInstants(schedule, start + 30 * minute)).toMatchObject({
      instants: [start + 30 * minute],
      missedFrom: start + 10 * minute,
    })
  })
})

describe('jitter', () => {
  it('is within its bounds, the same for whoever asks, and spread', () => {
    const shifts = Array.from({ length: 2_000 }, (_, i) => jitterOf('a schedule', i * minute, 999))
    expect(shifts).toEqual(Array.from({ length: 2_000 }, (_, i) => jitterOf('a schedule', i * minute, 999)))
    expect([Math.min(...shifts) >= 0, Math.max(...shifts) <= 999]).toEqual([true, true])
    const quarters = [0, 1, 2, 3].map((quarter) => shifts.filter((shift) => Math.floor(shift / 250) === quarter).length)
    for (const count of quarters) expect(count).toBeGreaterThan(350)
    expect(jitterOf('x', 5, 0)).toBe(0)
  })
})
