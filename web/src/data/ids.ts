/** The UUID in the id of a job, as entries of the log carry it. */
export function uuidOf(id: string): string {
  return id.slice(id.lastIndexOf(':') + 1)
}

/** What stands in the address of a job: its UUID, or the whole id of a task. */
export function addressOf(id: string): string {
  return /-task-\d+$/.test(id) ? id : uuidOf(id)
}
