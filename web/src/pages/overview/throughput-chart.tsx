import { useEffect, useRef, useState } from 'react'
import type { ThroughputPoint } from 'stint/client'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { usePreferences, useTimeZone } from '../../data/preferences.tsx'
import { numberText } from '../../ui/number.tsx'
import { timeText } from '../../ui/time-text.ts'
import { summaryOf } from './throughput-words.tsx'

const height = 148

/** What ended in each ten seconds as bars, failures among it in their colour, and what was submitted as a line. */
export function ThroughputChart({ points }: { readonly points: readonly ThroughputPoint[] }) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  const latest = useRef(points)
  latest.current = points
  const [at, setAt] = useState<number | null>(null)
  const { colours } = usePreferences()
  const zone = useTimeZone()

  useEffect(() => {
    const element = box.current
    if (element === null) return
    void colours
    const made = new uPlot(optionsOf(element.clientWidth, zone, setAt), dataOf(latest.current), element)
    chart.current = made
    const resize = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    resize.observe(element)
    return () => {
      resize.disconnect()
      made.destroy()
    }
  }, [colours, zone])
  useEffect(() => chart.current?.setData(dataOf(points)), [points])

  const shown = at === null ? null : points[at]
  return (
    <figure className="relative pt-2">
      <div ref={box} role="img" aria-label={summaryOf(points)} />
      <figcaption className="text-ink-3 absolute top-1 right-0 text-[12px]">
        {shown === null || shown === undefined ? (
          <Legend />
        ) : (
          <>
            {timeText(shown.at, zone, { precise: false, now: Date.now() })} · {numberText(shown.submitted)} submitted ·{' '}
            {numberText(shown.completed)} completed · {numberText(shown.failed)} failed · {numberText(shown.cancelled)}{' '}
            cancelled
          </>
        )}
      </figcaption>
    </figure>
  )
}

function Legend() {
  return (
    <span className="flex items-center gap-4">
      <span className="flex items-center gap-1.5">
        <span className="bg-ink/35 size-2" /> ended
      </span>
      <span className="flex items-center gap-1.5">
        <span className="bg-fail size-2" /> failed
      </span>
      <span className="flex items-center gap-1.5">
        <span className="bg-accent h-px w-3" /> submitted
      </span>
    </span>
  )
}

function dataOf(points: readonly ThroughputPoint[]): uPlot.AlignedData {
  return [
    points.map(({ at }) => at.getTime() / 1_000),
    points.map(({ completed, failed, cancelled }) => completed + failed + cancelled),
    points.map(({ failed }) => failed),
    points.map(({ submitted }) => submitted),
  ]
}

/** Colours as they are now: a canvas does not know of variables. */
function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--color-${name}`).trim()
}

function optionsOf(width: number, zone: string, onCursor: (at: number | null) => void): uPlot.Options {
  const bars = uPlot.paths.bars?.({ size: [0.72, 12], align: 1 })
  const axis = { stroke: colour('ink-3'), font: '11px Plex', ticks: { show: false } }
  const barSeries = (stroke: string) => ({
    fill: stroke,
    width: 0,
    points: { show: false },
    ...(bars && { paths: bars }),
  })
  return {
    width,
    height,
    padding: [22, 0, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1e3), zone),
    scales: { y: { range: (_, __, max) => [0, Math.max(5, max * 1.1)] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 22,
        space: 90,
        values: ({ scales }, splits) => splits.map((at) => (isNearEnd(at, scales['x']) ? '' : clock(at, zone))),
      },
      { ...axis, grid: { stroke: colour('line'), width: 1 }, size: 34, space: 34 },
    ],
    series: [
      {},
      barSeries(`color-mix(in srgb, ${colour('ink')} 35%, ${colour('paper')})`),
      barSeries(colour('fail')),
      { stroke: colour('accent'), width: 1, points: { show: false } },
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onCursor(idx ?? null)] },
  }
}

/** What would be cut off at the edge is left out. */
function isNearEnd(at: number, { min = 0, max = 0 }: Pick<uPlot.Scale, 'min' | 'max'> = {}): boolean {
  return at > max - (max - min) * 0.015 || at < min + (max - min) * 0.01
}

function clock(seconds: number, zone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' }).format(
    seconds * 1_000,
  )
}
