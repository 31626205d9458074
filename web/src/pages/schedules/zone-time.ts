import type { ClockChangeView } from 'stint/client'

const formats = new Map<string, Intl.DateTimeFormat>()

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options })
  formats.set(key, known)
  return known
}

/** The local date of a moment, `2026-11-16`. */
export function dateIn(zone: string, at: Date): string {
  const parts = format(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(at)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return `${of('year')}-${of('month')}-${of('day')}`
}

/** `Mon 16 Nov 2026`. */
export function dayText(zone: string, at: Date): string {
  return format(zone, { weekday: 'short', day: '2-digit', month: 'short', year: 'numeric' }).format(at).replace(',', '')
}

/** `08:30`, with seconds where there are some. */
export function clockText(zone: string, at: Date): string {
  const text = format(zone, { hour: '2-digit', minute: '2-digit', second: '2-digit' }).format(at)
  return text.replace(/:00$/, '')
}

/** The local time of a moment at an offset to UTC, `02:00`. */
function clockAt(at: Date, offsetMs: number): string {
  return new Date(at.getTime() + offsetMs).toISOString().slice(11, 16)
}

/** What a change of clocks is, and what it does to a schedule. */
export function changeText({ at, beforeMs, afterMs, effect, localTime }: ClockChangeView): {
  readonly what: string
  readonly effect: string | null
} {
  const [from, to] = [clockAt(at, beforeMs), clockAt(at, afterMs)]
  const what = `Clocks go ${afterMs > beforeMs ? 'forward' : 'back'}, ${from} → ${to}`
  const time = localTime?.slice(11).replace(/:00$/, '')
  const effects = {
    none: null,
    shifted: `${time} does not come: it fires at ${to} instead`,
    skipped: `${time} does not come: it does not fire`,
    first: `${time} comes twice: it fires the first time`,
    second: `${time} comes twice: it fires the second time`,
    both: `${time} comes twice: it fires both times`,
  }
  return { what, effect: effects[effect] }
}
