import fc from 'fast-check'

/** A cron expression that knows what it means because of how it was made, and not by being read. */
export interface CronCase {
  readonly text: string
  readonly followsRealTime: boolean
  matches(local: number): boolean
}

interface Values {
  readonly text: string
  readonly values: ReadonlySet<number>
}

interface Days {
  readonly text: string
  matches(date: Date): boolean
}

function span(from: number, to: number, step: number): Set<number> {
  const values = new Set<number>()
  for (let value = from; value <= to; value += step) values.add(value)
  return values
}

/** `a/n` goes on to the end of the field, which may be beyond the values that are drawn. */
function anyItem(min: number, max: number, end: number): fc.Arbitrary<Values> {
  const value = fc.integer({ min, max })
  const step = fc.integer({ min: 1, max: max - min + 1 })
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
  return fc.oneof(
    { weight: 4, arbitrary: value.map((a) => ({ text: `${a}`, values: new Set([a]) })) },
    { weight: 1, arbitrary: range.map(([a, b]) => ({ text: `${a}-${b}`, values: span(a, b, 1) })) },
    {
      weight: 1,
      arbitrary: fc.tuple(range, step).map(([[a, b], n]) => ({ text: `${a}-${b}/${n}`, values: span(a, b, n) })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(value, step).map(([a, n]) => ({ text: `${a}/${n}`, values: span(a, end, n) })),
    },
  )
}

function anyList(min: number, max: number, end = max): fc.Arbitrary<Values> {
  return fc.array(anyItem(min, max, end), { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(),
    values: new Set(items.flatMap(({ values }) => [...values])),
  }))
}

function anyStar(min: number, max: number): fc.Arbitrary<Values> {
  const stepped = fc.integer({ min: 1, max: max - min + 1 }).map((n) => ({ text: `*/${n}`, values: span(min, max, n) }))
  return fc.oneof(fc.constant({ text: '*', values: span(min, max, 1) }), stepped)
}

const lastOfMonth = (date: Date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
const weekdayOf = (date: Date, day: number) => {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay()
}

/** The days from Monday to Friday of a month. */
function workdays(date: Date): number[] {
  return [...span(1, lastOfMonth(date), 1)].filter((day) => ![0, 6].includes(weekdayOf(date, day)))
}

function nearest(days: readonly number[], to: number): number {
  return days.reduce((best, day) => (Math.abs(day - to) < Math.abs(best - to) ? day : best), 99)
}

const specialDate: fc.Arbitrary<Days> = fc.oneof(
  fc.constant<Days>({ text: 'L', matches: (date) => date.getUTCDate() === lastOfMonth(date) }),
  fc.constant<Days>({ text: 'LW', matches: (date) => date.getUTCDate() === workdays(date).at(-1) }),
  fc.integer({ min: 1, max: 31 }).map<Days>((n) => ({
    text: `${n}W`,
    matches: (date) => n <= lastOfMonth(date) && date.getUTCDate() === nearest(workdays(date), n),
  })),
)

const specialWeekday: fc.Arbitrary<Days> = fc.oneof(
  fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 1, max: 5 })).map<Days>(([weekday, n]) => ({
    text: `${weekday}#${n}`,
    matches: (date) => daysLike(date, weekday)[n - 1] === date.getUTCDate(),
  })),
  fc.integer({ min: 0, max: 7 }).map<Days>((weekday) => ({
    text: `${weekday}L`,
    matches: (date) => daysLike(date, weekday).at(-1) === date.getUTCDate(),
  })),
)

/** The dates of a month on a weekday. */
function daysLike(date: Date, weekday: number): number[] {
  return [...span(1, lastOfMonth(date), 1)].filter((day) => weekdayOf(date, day) === weekday % 7)
}

const byDate = ({ text, values }: Values): Days => ({ text, matches: (date) => values.has(date.getUTCDate()) })
const byWeekday = ({ text, values }: Values): Days => {
  return { text, matches: (date) => values.has(date.getUTCDay()) || (values.has(7) && date.getUTCDay() === 0) }
}
const anyDay = fc.constantFrom<Days>({ text: '*', matches: () => true }, { text: '?', matches: () => true })

const dates = fc.oneof(
  { weight: 5, arbitrary: anyDay },
  { weight: 2, arbitrary: anyList(1, 31).map(byDate) },
  { weight: 1, arbitrary: anyStar(1, 31).map(byDate) },
  { weight: 1, arbitrary: specialDate },
)
const weekdays = fc.oneof(
  { weight: 5, arbitrary: anyDay },
  { weight: 2, arbitrary: anyList(0, 6).map(byWeekday) },
  { weight: 1, arbitrary: anyStar(0, 6).map(byWeekday) },
  { weight: 1, arbitrary: specialWeekday },
)
const minutes = fc.oneof({ weight: 3, arbitrary: anyList(0, 59) }, { weight: 1, arbitrary: anyStar(0, 59) })
const seconds = fc.option(fc.oneof(anyList(0, 59), anyStar(0, 59)))
/** Mostly the hours in which clocks are changed. */
const hours = fc.oneof(
  { weight: 4, arbitrary: anyList(0, 3, 23) },
  { weight: 2, arbitrary: anyList(0, 23) },
  { weight: 2, arbitrary: anyStar(0, 23) },
)
const months = fc.oneof({ weight: 4, arbitrary: anyStar(1, 12) }, { weight: 1, arbitrary: anyList(1, 12) })

/** Any expression; with seconds only if they are wanted. */
export function anyCron(withSeconds = false): fc.Arbitrary<CronCase> {
  const second = withSeconds ? seconds : fc.constant(null)
  return fc.tuple(second, minutes, hours, dates, months, weekdays).map(([s, minute, hour, date, month, weekday]) => {
    const isEither = !/[*?]/.test(date.text) && !/[*?]/.test(weekday.text)
    const isDay = (day: Date) => {
      return isEither ? date.matches(day) || weekday.matches(day) : date.matches(day) && weekday.matches(day)
    }
    const fields = [minute, hour, date, month, weekday].map(({ text }) => text)
    return {
      text: (s === null ? fields : [s.text, ...fields]).join(' '),
      followsRealTime: hour.text.includes('*'),
      matches(local) {
        const second = Math.floor(local / 1_000)
        if (!minute.values.has(Math.floor(second / 60) % 60) || !hour.values.has(Math.floor(second / 3_600) % 24))
          return false
        if (s === null ? second % 60 !== 0 : !s.values.has(second % 60)) return false
        const day = new Date(local)
        return month.values.has(day.getUTCMonth() + 1) && isDay(day)
      },
    }
  })
}
