import type { Client } from '../../client/client.ts'
import type { RemoteEntry } from '../../client/views.ts'

/** How many jobs are asked for at once. */
const togetherMax = 20
/** More than this are not remembered: who follows a log for days must not fill the memory with it. */
const nameMax = 10_000

/** Entries of the log carry ids, and people know names. */
export class JobNames {
  readonly #client: Client
  readonly #names = new Map<string, string>()

  constructor(client: Client) {
    this.#client = client
  }

  /** Finds out the names that entries need. */
  async learn(entries: readonly RemoteEntry[]): Promise<void> {
    if (this.#names.size >= nameMax) this.#names.clear()
    for (const { eventType, jobId, attributes } of entries) {
      const { name } = attributes
      if (jobId !== null && eventType === 'job.created' && typeof name === 'string') this.#names.set(jobId, name)
    }
    const unknown = new Set(entries.flatMap(({ jobId }) => (jobId === null || this.#names.has(jobId) ? [] : [jobId])))
    const ids = [...unknown]
    for (let at = 0; at < ids.length; at += togetherMax) {
      await Promise.all(ids.slice(at, at + togetherMax).map((id) => this.#find(id)))
    }
  }

  /** What an entry is about: the name of its job, or the path of what is described. A job that is gone has only its id. */
  of({ jobId, namespace, attributes }: RemoteEntry): string {
    if (jobId !== null) return this.#names.get(jobId) ?? jobId
    return String(attributes['path'] ?? `/${namespace}`)
  }

  /** A task is asked for by its own id and shown with that of its job, so it is found alone. */
  async #find(id: string): Promise<void> {
    const job = await this.#client.jobs.get(id)
    if (job !== null) this.#names.set(id, job.name)
  }
}
