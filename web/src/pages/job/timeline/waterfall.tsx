import { JobLink } from '../../../ui/job-link.tsx'
import { useNow } from '../../../ui/time.tsx'
import { durationText } from '../../../ui/time-text.ts'
import { useWidth } from '../../../ui/use-width.ts'
import type { Segment, SegmentKind, Track } from './segments.ts'
import { ticksOf, tickText } from './ticks.ts'

const styles: Readonly<Record<SegmentKind, string>> = {
  queued: 'segment-queued',
  running: 'bg-run',
  awaiting: 'segment-awaiting',
  completed: 'bg-ok',
  failed: 'bg-fail',
}

const words: Readonly<Record<SegmentKind, string>> = {
  queued: 'waited',
  running: 'ran',
  awaiting: 'awaited others',
  completed: 'ran',
  failed: 'ran',
}

/** Tracks below each other on one axis of time. */
export function Waterfall({ tracks, isZoomed }: { readonly tracks: readonly Track[]; readonly isZoomed: boolean }) {
  const [axis, width] = useWidth<HTMLDivElement>()
  const isOpen = tracks.some(({ segments }) => segments.some(({ to }) => to === null))
  const now = useNow()
  const all = tracks.flatMap(({ segments }) => segments)
  const wanted = isZoomed ? all.filter(({ kind }) => kind !== 'queued') : all
  const start = Math.min(...(wanted.length === 0 ? all : wanted).map(({ from }) => from))
  const end = Math.max(...all.map(({ from, to }) => to ?? Math.max(from, isOpen ? now : from)), start + 1)
  const at = (time: number) => Math.max(0, Math.min(100, ((time - start) / (end - start)) * 100))
  return (
    <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,7fr)_6rem]">
      <div className="border-line-strong text-ink-3 border-b text-[12px] leading-7">Attempt or job</div>
      <div ref={axis} className="border-line-strong text-ink-3 relative border-b text-[12px]">
        {ticksOf(end - start, width).map((ms) => (
          <span
            key={ms}
            className="absolute leading-7 whitespace-nowrap"
            style={{ left: `${(ms / (end - start)) * 100}%` }}
          >
            {tickText(ms)}
          </span>
        ))}
      </div>
      <div className="border-line-strong text-ink-3 border-b pl-3 text-right text-[12px] leading-7">Took</div>
      {tracks.map((track) => (
        <TrackRow key={track.key} track={track} at={at} now={now} />
      ))}
    </div>
  )
}

function TrackRow({
  track,
  at,
  now,
}: {
  readonly track: Track
  readonly at: (time: number) => number
  readonly now: number
}) {
  const ran = track.segments.filter(({ kind }) => kind !== 'queued')
  const took = ran.reduce((ms, { from, to }) => ms + ((to ?? now) - from), 0)
  return (
    <>
      <div
        className="border-line flex h-7 items-center gap-2 border-b pr-4"
        style={{ paddingLeft: `${Math.max(0, track.depth - 1) * 12}px` }}
      >
        {track.jobId === null ? (
          <span className="whitespace-nowrap">{track.label}</span>
        ) : (
          <JobLink job={{ id: track.jobId, name: track.label }} className="truncate" />
        )}
        {track.note !== null && <span className="text-ink-3 truncate text-[12px]">{track.note}</span>}
      </div>
      <div className="border-line relative h-7 border-b" role="img" aria-label={summaryOf(track, now)}>
        {track.segments.map((segment) => (
          <Bar key={`${segment.kind} ${segment.from}`} segment={segment} at={at} now={now} />
        ))}
      </div>
      <div className="border-line flex h-7 items-center justify-end border-b pl-3">
        {ran.length === 0 ? <span className="text-ink-3">–</span> : durationText(Math.max(0, took))}
      </div>
    </>
  )
}

function Bar({
  segment,
  at,
  now,
}: {
  readonly segment: Segment
  readonly at: (time: number) => number
  readonly now: number
}) {
  const { kind, from, to } = segment
  const [left, right] = [at(from), at(to ?? Math.max(from, now))]
  const isThin = kind === 'queued' || kind === 'awaiting'
  return (
    <span
      title={`${words[kind]} ${durationText((to ?? now) - from)}`}
      className={`${styles[kind]} absolute top-1/2 -translate-y-1/2 ${isThin ? 'h-1' : 'h-3 min-w-[2px]'}`}
      style={{ left: `${left}%`, width: `${Math.max(0, right - left)}%` }}
    />
  )
}

function summaryOf({ label, segments }: Track, now: number): string {
  const parts = segments.map(({ kind, from, to }) => `${words[kind]} ${durationText((to ?? now) - from)}`)
  return `${label}: ${parts.join(', ')}`
}
