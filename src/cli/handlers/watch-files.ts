import { existsSync, type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'

/** Editors write a file in several steps: what changes within this time is one change. */
const togetherMs = 60

/** Tells when a file changes, appears or goes in one of the directories that it is told to look at. */
export class FileWatch {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #onChange: () => void
  #timer: NodeJS.Timeout | null = null

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /** Looks at the directories of these files and at these directories, from now on, and no more at others. */
  look(files: Iterable<string>, directories: Iterable<string>): void {
    const wanted = new Set(
      [...[...files].map((file) => dirname(file)), ...directories].filter((each) => existsSync(each)),
    )
    for (const [directory, watcher] of this.#watchers) {
      if (wanted.has(directory)) continue
      watcher.close()
      this.#watchers.delete(directory)
    }
    for (const directory of wanted) if (!this.#watchers.has(directory)) this.#add(directory)
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #add(directory: string): void {
    const watcher = watch(directory, (_, name) => {
      if (name !== null && /^\.stint|~$|\.sw.$/.test(name)) return
      if (this.#timer !== null) clearTimeout(this.#timer)
      this.#timer = setTimeout(this.#onChange, togetherMs)
    })
    // A directory that goes away takes its watcher with it.
    watcher.on('error', () => this.#watchers.delete(directory))
    this.#watchers.set(directory, watcher)
  }
}
