import { hash } from 'node:crypto'

/** Texts around the index of a task in its UUID: between them stand its five hexadecimal digits. */
export interface TaskIdParts {
  readonly id_before: string
  readonly id_after: string
}

/** So many are enough for more shards than a job can have. */
const indexDigits = 5

/**
 * The UUID of a task: it follows from its job and its index, so that whoever knows these finds it, and no task can be made twice.
 * Version 8 is for those who make their own. It begins as that of the job does, with the time, and goes on by index: tasks that are
 * made together stand together in every index, as jobs do. By chance, each would write a page of its own.
 */
export function taskUuid(job: string, index: number): string {
  const { id_before, id_after } = taskIdParts(job)
  return `${id_before}${index.toString(16).padStart(indexDigits, '0')}${id_after}`
}

/** What tells the index of a task from its UUID; null for one that is none of this job. */
export function taskIndexes(job: string): (id: string) => number | null {
  const { id_before, id_after } = taskIdParts(job)
  return (id) => {
    if (!id.startsWith(id_before) || !id.endsWith(id_after)) return null
    return Number.parseInt(id.slice(id_before.length, id_before.length + indexDigits), 16)
  }
}

export function taskIdParts(job: string): TaskIdParts {
  const hex = hash('sha256', job, 'hex')
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(0), 16) & 3)
  return {
    id_before: `${job.slice(0, 13)}-8${hex.slice(1, 4)}-${variant}${hex.slice(4, 7)}-`,
    id_after: hex.slice(7, 14),
  }
}
