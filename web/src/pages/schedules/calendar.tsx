import type { Outlook, ScheduleView } from 'stint/client'
import { useLiveQuery } from '../../data/live-query.ts'
import { useSession } from '../../data/session.tsx'
import { cx } from '../../ui/class-names.ts'
import { numberText } from '../../ui/number.tsx'
import { Section } from '../../ui/section.tsx'
import { Answer } from '../../ui/states.tsx'
import { changeText, clockText, dateIn } from './zone-time.ts'

const monthsShown = 3
const firesMax = 1_000
const dayMs = 86_400_000
const weekdays = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su']
const monthName = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'long', year: 'numeric' })

/** The days on which it fires, as the scheduler itself finds them, by the calendar of its zone. */
export function Calendar({ schedule }: { readonly schedule: ScheduleView }) {
  const { client } = useSession()
  const { id, timezone, excludedDates, createdAt, updatedAt } = schedule
  const today = dateIn(timezone, new Date())
  const [year = 0, month = 1] = today.split('-').map(Number)
  // A day more on each side: dates of a zone begin up to a day before those of UTC, or after.
  const months = Array.from({ length: monthsShown }, (_, i) => ({
    from: new Date(Date.UTC(year, month - 1 + i) - dayMs),
    until: new Date(Date.UTC(year, month + i) + dayMs),
  }))
  const outlook = useLiveQuery(
    {
      queryKey: ['schedules', id, 'calendar', today, updatedAt.getTime()],
      queryFn: () => Promise.all(months.map((each) => client.schedules.outlook(id, { ...each, count: firesMax }))),
    },
    { on: () => false },
  )
  return (
    <Section title="Calendar" aside={timezone}>
      <Answer query={outlook} rows={6}>
        {(found) => {
          // Most of its days would be missing, and it fires on each of them.
          if (found.some(({ fires }) => fires.length >= firesMax)) {
            return (
              <p className="text-ink-2 py-3">
                It fires more than {numberText(firesMax)} times a month, too often for a calendar.
              </p>
            )
          }
          const days = daysOf(found, timezone, createdAt)
          return (
            <div className="grid grid-cols-3 items-start gap-6 pt-3 max-xl:grid-cols-2 max-lg:grid-cols-3 max-md:grid-cols-1">
              {Array.from({ length: monthsShown }, (_, i) => (
                <Month
                  key={Date.UTC(year, month - 1 + i)}
                  first={new Date(Date.UTC(year, month - 1 + i))}
                  {...{ days, today, excludedDates }}
                />
              ))}
            </div>
          )
        }}
      </Answer>
    </Section>
  )
}

interface Day {
  readonly fires: Date[]
  readonly times: string[]
  note: { readonly text: string; readonly isEffect: boolean } | null
}

function daysOf(outlooks: readonly Outlook[], zone: string, createdAt: Date): ReadonlyMap<string, Day> {
  // They overlap by a day or two.
  const fires = new Map(outlooks.flatMap((each) => each.fires).map((at) => [at.getTime(), at])).values()
  const changes = outlooks.flatMap((each) => each.changes)
  const days = new Map<string, Day>()
  const dayOf = (at: Date) => {
    const date = dateIn(zone, at)
    const day = days.get(date) ?? { fires: [], times: [], note: null }
    days.set(date, day)
    return day
  }
  for (const at of fires) {
    // Before it was made it did not fire.
    if (at < createdAt) continue
    const day = dayOf(at)
    day.fires.push(at)
    if (day.times.length < 6) day.times.push(clockText(zone, at))
  }
  for (const change of changes) {
    const { what, effect } = changeText(change)
    dayOf(change.at).note = { text: effect === null ? what : `${what}; ${effect}`, isEffect: effect !== null }
  }
  return days
}

function Month(props: {
  readonly first: Date
  readonly days: ReadonlyMap<string, Day>
  readonly today: string
  readonly excludedDates: readonly string[]
}) {
  const { first, days, today, excludedDates } = props
  const blanks = (first.getUTCDay() + 6) % 7
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  const cells = [
    ...Array.from({ length: blanks }, () => null),
    ...Array.from({ length }, (_, i) => new Date(first.getTime() + i * dayMs).toISOString().slice(0, 10)),
  ]
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, i) => cells.slice(i * 7, i * 7 + 7))
  const name = monthName.format(first)
  return (
    <table aria-label={name} className="w-full table-fixed text-center text-[12px]">
      <caption className="text-ink-2 pb-1 text-left">{name}</caption>
      <thead>
        <tr className="text-ink-3">
          {weekdays.map((day) => (
            <th key={day} scope="col" className="h-6 font-normal">
              {day}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: weeks stay where they are.
          <tr key={i}>
            {week.map((date, j) => (
              <td key={date ?? `blank ${j}`} className="h-7 p-px">
                {date !== null && (
                  <DayCell
                    date={date}
                    day={days.get(date)}
                    isToday={date === today}
                    isPast={date < today}
                    isExcluded={excludedDates.includes(date)}
                  />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function DayCell(props: {
  readonly date: string
  readonly day: Day | undefined
  readonly isToday: boolean
  readonly isPast: boolean
  readonly isExcluded: boolean
}) {
  const { date, day, isToday, isPast, isExcluded } = props
  const count = day?.fires.length ?? 0
  const note = day?.note ?? null
  const more = count > (day?.times.length ?? 0) ? ` and ${count - (day?.times.length ?? 0)} more` : ''
  const about = [
    isExcluded ? 'excluded' : count === 0 ? 'does not fire' : `fires ${day?.times.join(', ')}${more}`,
    ...(note === null ? [] : [note.text]),
  ].join('; ')
  return (
    <span
      title={`${date}: ${about}`}
      className={cx(
        'relative flex h-full items-center justify-center rounded-[2px]',
        count > 0 && (isPast ? 'bg-ink/8 text-ink-2' : 'bg-accent/18 font-semibold'),
        count === 0 && 'text-ink-3',
        isToday && 'outline-ink outline-1 -outline-offset-1',
        isExcluded && 'line-through',
      )}
    >
      {Number(date.slice(8))}
      <span className="sr-only">: {about}</span>
      {note !== null && (
        <span
          aria-hidden="true"
          className={cx(
            'absolute inset-x-1 bottom-0.5 h-[2px] rounded-full',
            note.isEffect ? 'bg-warn' : 'bg-line-strong',
          )}
        />
      )}
    </span>
  )
}
