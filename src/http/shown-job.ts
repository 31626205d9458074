import type { JobView } from '../engine/job-view.ts'

/** The same with instants as text. To make JSON of a Date takes longer than of all the rest of a job. */
export function shownJob(job: JobView) {
  return {
    ...job,
    scheduledFor: textOf(job.scheduledFor),
    expiresAt: textOrNull(job.expiresAt),
    createdAt: textOf(job.createdAt),
    queuedAt: textOrNull(job.queuedAt),
    startedAt: textOrNull(job.startedAt),
    finishedAt: textOrNull(job.finishedAt),
    updatedAt: textOf(job.updatedAt),
  }
}

/** The instants of a new job are one, and many are made in the same millisecond. */
let last = { at: 0, text: new Date(0).toJSON() }

function textOf(instant: Date): string {
  const at = instant.getTime()
  if (at !== last.at) last = { at, text: instant.toJSON() }
  return last.text
}

function textOrNull(instant: Date | null): string | null {
  return instant === null ? null : textOf(instant)
}
