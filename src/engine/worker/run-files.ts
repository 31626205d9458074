import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { StintError, show } from '../../core/errors.ts'
import { listArtifacts } from '../command/artifacts.ts'

/** The directory of one run. It is made when it is first asked for; most runs never do. */
export class RunFiles {
  readonly #directory: string
  #isMade = false

  constructor(base: string, runId: string) {
    this.#directory = resolve(base, runId)
  }

  async directory(): Promise<string> {
    await mkdir(this.#directory, { recursive: true })
    this.#isMade = true
    return this.#directory
  }

  /** An absolute path within the directory, whose parent exists; `.` is the directory. One that leads out is refused. */
  async path(inside: string): Promise<string> {
    const full = resolve(await this.directory(), inside)
    if (full === this.#directory) return full
    if (!full.startsWith(this.#directory + sep)) {
      const rule = 'must be a path inside the directory of the run'
      throw new StintError('invalid_argument', `path ${rule}; got ${show(inside)}.`, { field: 'path', rule })
    }
    await mkdir(dirname(full), { recursive: true })
    return full
  }

  /** The files that are there, relative and sorted. A directory without any is removed again. */
  async list(): Promise<readonly string[]> {
    if (!this.#isMade) return []
    const files = await listArtifacts(this.#directory)
    if (files.length === 0) await rmdir(this.#directory).catch(() => {})
    return files
  }
}
