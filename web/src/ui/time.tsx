import { useSyncExternalStore } from 'react'
import { useTimeZone } from '../data/preferences.tsx'
import { agoText, durationText, timeText } from './time-text.ts'

/** One clock for all that grows older while it is looked at. */
const ticks = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | null = null

function onTick(listener: () => void): () => void {
  ticks.add(listener)
  timer ??= setInterval(() => {
    if (document.hidden) return
    now = Date.now()
    for (const tick of ticks) tick()
  }, 1_000)
  return () => {
    ticks.delete(listener)
    if (ticks.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }
}

/** The present, once a second. */
export function useNow(): number {
  return useSyncExternalStore(onTick, () => now)
}

type Shown = Date | null | undefined

/** An instant, in the zone that was chosen, to the millisecond on demand. */
export function Time({ at, precise = false }: { readonly at: Shown; readonly precise?: boolean }) {
  const zone = useTimeZone()
  if (!at) return <span className="text-ink-3">–</span>
  return (
    <time dateTime={at.toISOString()} title={at.toISOString()} className="whitespace-nowrap">
      {timeText(at, zone, { precise, now })}
    </time>
  )
}

/** How long ago, or in how long. */
export function Ago({ at }: { readonly at: Shown }) {
  const present = useNow()
  if (!at) return <span className="text-ink-3">–</span>
  return (
    <time dateTime={at.toISOString()} title={at.toISOString()} className="whitespace-nowrap">
      {agoText(at.getTime() - present)}
    </time>
  )
}

export function Duration({ ms }: { readonly ms: number | null }) {
  return ms === null ? <span className="text-ink-3">–</span> : <span>{durationText(ms)}</span>
}

/** How long something has taken that may not be over. */
export function Elapsed({ from, to }: { readonly from: Shown; readonly to: Shown }) {
  return to || !from ? (
    <Duration ms={from && to ? to.getTime() - from.getTime() : null} />
  ) : (
    <RunningElapsed from={from} />
  )
}

function RunningElapsed({ from }: { readonly from: Date }) {
  return <Duration ms={Math.max(0, Math.floor((useNow() - from.getTime()) / 1_000) * 1_000)} />
}
