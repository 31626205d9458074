import { derivedUuid } from '../derived-uuid.ts'

/** The UUID of a task: it follows from its job and its index, so that whoever knows these finds it, and no task can be made twice. */
export function taskUuid(job: string, index: number): string {
  return derivedUuid(`${job} task ${index}`)
}
