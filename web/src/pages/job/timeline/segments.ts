import type { JobView, RemoteEntry, RunView } from 'stint/client'

export type SegmentKind = 'queued' | 'running' | 'awaiting' | 'completed' | 'failed'

/** A stretch of time in which one thing was true. Times are epoch milliseconds; without an end it still is. */
export interface Segment {
  readonly kind: SegmentKind
  readonly from: number
  readonly to: number | null
}

/** One line of the timeline. */
export interface Track {
  readonly key: string
  readonly label: string
  /** What became of it, where that is known. */
  readonly note: string | null
  /** The id of the job, if it is another one. */
  readonly jobId: string | null
  readonly depth: number
  readonly segments: readonly Segment[]
}

/** Which stretch begins with an event. */
const begins: Readonly<Record<string, SegmentKind>> = {
  'job.created': 'queued',
  'job.queued': 'queued',
  'job.held': 'queued',
  'job.run.started': 'running',
  'job.run.resumed': 'running',
  'job.run.suspended': 'awaiting',
  'job.run.planned': 'awaiting',
  'job.run.queued': 'queued',
  'task.slice.completed': 'queued',
  'task.slice.failed': 'queued',
}

const ends = new Set(['job.run.completed', 'job.run.failed', 'job.run.skipped', 'job.cancelled', 'job.expired'])

/** A track for the time before the first attempt, and one for each attempt with the time that it waited for. */
export function tracksOf(events: readonly RemoteEntry[]): readonly Track[] {
  const tracks: { key: string; label: string; note: string | null; segments: Segment[] }[] = []
  let open: { kind: SegmentKind; from: number } | null = null
  const current = (attempt: number) => {
    let track = tracks.find(({ key }) => key === String(attempt))
    if (track === undefined) {
      track = { key: String(attempt), label: `Attempt ${attempt}`, note: null, segments: [] }
      tracks.push(track)
    }
    return track
  }
  let attempt = 1
  for (const { eventType, occurredAt, attributes, version } of events) {
    // What others say of a job is no stretch of its time.
    if (version === null) continue
    const at = occurredAt.getTime()
    const kind = begins[eventType]
    const isEnd = ends.has(eventType)
    if (kind === undefined && !isEnd) continue
    attempt = typeof attributes['attempt'] === 'number' ? attributes['attempt'] : attempt
    if (open !== null) current(attempt).segments.push({ ...open, to: at })
    if (isEnd) current(attempt).note = noteOf(eventType, attributes)
    // After a failure that is tried again the time counts as waiting for the next attempt.
    const isRetried = eventType === 'job.run.failed' && attributes['retryAt'] !== null
    if (isRetried) attempt += 1
    open = kind !== undefined ? { kind, from: at } : isRetried ? { kind: 'queued', from: at } : null
  }
  if (open !== null) current(attempt).segments.push({ ...open, to: null })
  return tracks.map((track) => ({ ...track, jobId: null, depth: 0, segments: coloured(track.segments, track.note) }))
}

function noteOf(eventType: string, attributes: RemoteEntry['attributes']): string {
  if (eventType === 'job.run.completed') return 'completed'
  if (eventType === 'job.run.failed') return String(attributes['reason'] ?? 'failed')
  return eventType.slice('job.'.length).replace('run.', '')
}

/** The last stretch of running has the colour of how it ended. */
function coloured(segments: readonly Segment[], note: string | null): readonly Segment[] {
  const last = segments.findLastIndex(({ kind }) => kind === 'running')
  if (note === null || last === -1) return segments
  const kind = note === 'completed' ? 'completed' : 'failed'
  return segments.map((segment, i) => (i === last ? { ...segment, kind } : segment))
}

/** A job below another as a track: when it waited, and when each attempt of it ran, as far as those are known. */
export function trackOf(job: JobView, root: string, runs: readonly RunView[] = []): Track {
  const rest = job.name.slice(root.length + 1)
  const known = runs.filter(({ startedAt }) => startedAt !== null)
  const ran = known.length === 0 ? lastRun(job) : known.map(segmentOf)
  return {
    key: job.id,
    label: rest,
    note: job.attempt > 1 ? `${job.attempt} attempts` : null,
    jobId: job.id,
    depth: rest.split('/').length,
    segments: withWaits(job, ran),
  }
}

function lastRun({ startedAt, finishedAt, status, outcome, reason }: JobView): readonly Segment[] {
  if (startedAt === null) return []
  const isOpen = status === 'RUNNING'
  const kind = isOpen ? (reason === null ? 'running' : 'awaiting') : outcome === 'COMPLETED' ? 'completed' : 'failed'
  return [{ kind, from: startedAt.getTime(), to: finishedAt?.getTime() ?? null }]
}

function segmentOf({ startedAt, finishedAt, status }: RunView): Segment {
  const kind = status === null ? 'running' : status === 'COMPLETED' ? 'completed' : 'failed'
  return { kind, from: startedAt?.getTime() ?? 0, to: finishedAt?.getTime() ?? null }
}

/** What is between its creation, its attempts and its end is time that it waited. */
function withWaits({ createdAt, finishedAt }: JobView, ran: readonly Segment[]): readonly Segment[] {
  const segments: Segment[] = []
  let from: number | null = createdAt.getTime()
  for (const segment of ran) {
    if (from !== null) segments.push({ kind: 'queued', from, to: segment.from })
    segments.push(segment)
    from = segment.to
  }
  const isWaiting = from !== null && (finishedAt === null || finishedAt.getTime() > from)
  return isWaiting && from !== null
    ? [...segments, { kind: 'queued', from, to: finishedAt?.getTime() ?? null }]
    : segments
}
