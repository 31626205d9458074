import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { StintError, show } from '../../core/errors.ts'

const listedMax = 1_000

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

  /** An absolute path within the directory, whose parent exists. A path that leads out of it is refused. */
  async path(inside: string): Promise<string> {
    const full = resolve(await this.directory(), inside)
    if (!full.startsWith(this.#directory + sep)) {
      const rule = 'must be a path inside the directory of the run'
      throw new StintError('invalid_argument', `path ${rule}; got ${show(inside)}.`, { field: 'path', rule })
    }
    await mkdir(dirname(full), { recursive: true })
    return full
  }

  /** The files that are there, relative and sorted. */
  async list(): Promise<readonly string[]> {
    if (!this.#isMade) return []
    try {
      const entries = await readdir(this.#directory, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
      const paths = files.map((file) => relative(this.#directory, file).split(sep).join('/'))
      return paths.sort().slice(0, listedMax)
    } catch {
      // A directory that the handler removed has no files.
      return []
    }
  }
}
