const steps = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'm', ms: 60_000 },
  { unit: 's', ms: 1_000 },
] as const

/** `12 ms`, `4.2 s`, `3m 20s`, `2d 4h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const at = steps.findIndex((step) => ms >= step.ms)
  const [large, small] = [steps[at] ?? steps[3], steps[at + 1]]
  const rest = small === undefined ? 0 : Math.floor((ms % large.ms) / small.ms)
  return `${Math.floor(ms / large.ms)}${large.unit}${small === undefined || rest === 0 ? '' : ` ${rest}${small.unit}`}`
}

/** `3m ago`, `in 2h`. */
export function agoText(at: Date, now = Date.now()): string {
  const ms = now - at.getTime()
  const size = Math.abs(ms)
  if (size < 1_000) return 'now'
  const step = steps.find((each) => size >= each.ms) ?? steps[3]
  const text = `${Math.floor(size / step.ms)}${step.unit}`
  return ms > 0 ? `${text} ago` : `in ${text}`
}

/** Local time, as people write it down. */
export function timeText(at: Date): string {
  const [date, time] = [at.toLocaleDateString('sv'), at.toLocaleTimeString('sv')]
  return `${date} ${time}`
}
