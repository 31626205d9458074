import { isUnresolved } from '../slot/needs.ts'
import type { Job } from './job.ts'

/** Why a job is not running at this moment; null when it runs or is over. Computed when asked, never stored. */
export function reasonOf(job: Job, now: number): string | null {
  switch (job.phase) {
    case 'pending':
      if (job.state === 'error') return `waits for the end of the jobs that attempt ${job.attempt} submitted`
      if (job.replaces !== null) return `waits for the end of ${job.replaces}, which it replaces`
      if (isUnresolved(job)) return `waits for ${amount(job.needs.list.length)}`
      return job.groupId === null ? 'waits for a gate to open' : `waits for its group ${job.groupId}`
    case 'queued':
      if (job.scheduledFor > now) return notYetDue(job)
      return 'ready: waits for a worker that knows its type'
    case 'running':
    case 'final':
      return null
    case 'awaiting':
      if (job.shards !== null) return `waits for its ${job.shards} tasks`
      if (job.output !== null) return `waits for the value of ${job.output}, which is to be its result`
      return job.awaits === null ? 'awaits an answer from outside' : 'awaits events from outside'
  }
}

function amount(slots: number): string {
  return slots === 1 ? '1 slot' : `${slots} slots`
}

function notYetDue(job: Job): string {
  const due = new Date(job.scheduledFor).toISOString()
  return job.state === 'error'
    ? `attempt ${job.attempt} did not succeed; the next is due at ${due}`
    : `is due at ${due}`
}
