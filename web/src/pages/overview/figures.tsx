import { Link } from '@tanstack/react-router'
import type { DepthView, RemoteWorker, ThroughputPoint } from 'stint/client'
import { cx } from '../../ui/class-names.ts'
import { shortText } from '../../ui/number.tsx'
import { useNow } from '../../ui/time.tsx'
import { durationText } from '../../ui/time-text.ts'

/** The rate is that of the last full minute. */
const rateBuckets = 6

/** How things stand, in seven numbers. */
export function Figures(props: {
  readonly depths: readonly DepthView[] | undefined
  readonly points: readonly ThroughputPoint[] | undefined
  readonly workers: readonly RemoteWorker[] | undefined
}) {
  const { depths, points, workers } = props
  const sum = (of: 'ready' | 'delayed' | 'gated' | 'running') => depths?.reduce((n, depth) => n + depth[of], 0)
  const failed = points?.reduce((n, point) => n + point.failed, 0)
  const living = workers?.filter(({ lostAt }) => lostAt === null).length
  return (
    <dl className="border-line-strong bg-line grid grid-cols-7 gap-px border-y max-lg:grid-cols-4">
      <Figure label="Running" value={sum('running')} to="running" tone="run" />
      <Figure label="Ready" value={sum('ready')} to="next" about={<OldestAge depths={depths} />} />
      <Figure label="Delayed" value={sum('delayed')} to="queued" />
      <Figure label="At a limit or pause" value={sum('gated')} to="queued" />
      <Figure label="Failed in an hour" value={failed} to="failed" tone="fail" />
      <Rate points={points} />
      <Figure label="Workers" value={living} tone={living === 0 ? 'fail' : 'ink'} />
    </dl>
  )
}

/** Lines between them are what is behind them. Those that begin a line stand at its edge, and the last takes what is left of it. */
const cell =
  'bg-paper flex flex-col-reverse justify-end px-4 py-3 first:pl-0 max-lg:last:col-span-2 max-lg:nth-[4n+1]:pl-0'

function Figure(props: {
  readonly label: string
  readonly value: number | undefined
  readonly about?: React.ReactNode
  /** The tab of jobs that shows them. */
  readonly to?: string
  readonly tone?: 'run' | 'fail' | 'ink'
}) {
  const { label, value, about, to, tone = 'ink' } = props
  const shown = value === undefined ? '·' : shortText(value)
  const tones = { run: 'text-run', fail: 'text-fail', ink: '' } as const
  return (
    <div className={cell}>
      <dt className="text-ink-3 flex flex-wrap justify-between gap-x-2 text-[12px]">
        {label} <span>{about}</span>
      </dt>
      <dd className={cx('text-[26px] leading-8 font-light tracking-tight', value ? tones[tone] : 'text-ink-3')}>
        {to === undefined ? (
          shown
        ) : (
          <Link
            to="/jobs"
            search={{ status: to } as never}
            className="hover:underline"
            aria-label={`${label}: ${shown}`}
          >
            {shown}
          </Link>
        )}
      </dd>
    </div>
  )
}

function OldestAge({ depths }: { readonly depths: readonly DepthView[] | undefined }) {
  const now = useNow()
  const times = (depths ?? []).flatMap(({ oldestReadyAt }) => oldestReadyAt?.getTime() ?? [])
  if (times.length === 0) return null
  return <>oldest {durationText(Math.max(0, Math.floor((now - Math.min(...times)) / 1_000) * 1_000))}</>
}

function Rate({ points }: { readonly points: readonly ThroughputPoint[] | undefined }) {
  const last = points?.slice(-rateBuckets - 1, -1) ?? []
  const ended = last.reduce((n, { completed, failed, cancelled }) => n + completed + failed + cancelled, 0)
  const rate = ended / (rateBuckets * 10)
  const shown =
    points === undefined ? '·' : rate >= 100 ? shortText(Math.round(rate)) : rate.toFixed(rate >= 10 ? 0 : 1)
  return (
    <div className={cell}>
      <dt className="text-ink-3 text-[12px]">Ended a second</dt>
      <dd className={cx('text-[26px] leading-8 font-light tracking-tight', rate === 0 && 'text-ink-3')}>{shown}</dd>
    </div>
  )
}
