const formats = new Map<string, Intl.DateTimeFormat>()

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${JSON.stringify(options)}`
  const known = formats.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options })
  formats.set(key, made)
  return made
}

const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const

/** The time alone for today; with the day for others, and the year where it is another. */
export function timeText(at: Date, zone: string, { precise, now }: { precise: boolean; now: number }): string {
  const time = format(zone, { ...clock, ...(precise ? { fractionalSecondDigits: 3 } : {}) }).format(at)
  const day = format(zone, { year: 'numeric', month: 'short', day: 'numeric' })
  if (day.format(at) === day.format(now)) return time
  const isThisYear = format(zone, { year: 'numeric' }).format(at) === format(zone, { year: 'numeric' }).format(now)
  const shown = isThisYear ? format(zone, { month: 'short', day: 'numeric' }) : day
  return `${shown.format(at)}, ${time}`
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** The two largest units: `2 h 5 min`, `1.24 s`, `340 ms`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000 && ms % 1_000 !== 0) return `${(ms / 1_000).toFixed(2)} s`
  const [first, second] = partsOf(ms)
  return second === undefined ? (first ?? '0 s') : `${first} ${second}`
}

function partsOf(ms: number): readonly string[] {
  let rest = Math.round(ms / 1_000) * 1_000
  const parts: string[] = []
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    if (parts.length > 0 && count === 0) break
    if (count === 0) continue
    parts.push(`${count} ${unit}`)
    rest -= count * size
  }
  return parts.slice(0, 2)
}

/** `12 s ago`, `in 3 min`. One unit: what is far away need not be exact. */
export function agoText(differenceMs: number): string {
  const distance = Math.abs(differenceMs)
  if (distance < 1_000) return 'now'
  const [unit, size] = units.find(([, each]) => distance >= each) ?? ['s', 1_000]
  const text = `${Math.floor(distance / size)} ${unit}`
  return differenceMs > 0 ? `in ${text}` : `${text} ago`
}
