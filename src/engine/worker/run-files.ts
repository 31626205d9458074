import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { StintError, show } from '../../core/errors.ts'
import { listArtifacts } from '../command/artifacts.ts'

/** The directory of one run. It is made when it is first asked for; most runs never do. */
export class RunFiles {
  readonly #base: string
  readonly #runId: string
  /** Null until it is made. */
  #directory: string | null = null

  constructor(base: string, runId: string) {
    this.#base = base
    this.#runId = runId
  }

  /** Nobody has asked for the directory. */
  get isUnused(): boolean {
    return this.#directory === null
  }

  async #made(): Promise<string> {
    const directory = resolve(this.#base, this.#runId)
    await mkdir(directory, { recursive: true })
    this.#directory = directory
    return directory
  }

  /** An absolute path within the directory, whose parent exists; `.` is the directory. One that leads out is refused. */
  async path(inside: string): Promise<string> {
    const directory = await this.#made()
    const full = resolve(directory, inside)
    if (full === directory) return full
    if (!full.startsWith(directory + sep)) {
      const rule = 'must be a path inside the directory of the run'
      throw new StintError('invalid_argument', `path ${rule}; got ${show(inside)}.`, { field: 'path', rule })
    }
    await mkdir(dirname(full), { recursive: true })
    return full
  }

  /** The files that are there, relative and sorted. A directory without any is removed again. */
  async list(): Promise<readonly string[]> {
    if (this.#directory === null) return []
    const files = await listArtifacts(this.#directory)
    if (files.length === 0) await rmdir(this.#directory).catch(() => {})
    return files
  }
}
