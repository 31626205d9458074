import { globSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { AnyJob } from '../../engine/handler.ts'
import type { Stint } from '../../engine/stint.ts'
import type { Worker } from '../../engine/worker/worker.ts'
import type { WorkerOptions } from '../../engine/worker/worker-settings.ts'
import { filesOf, type Handlers, loadHandlers } from './handlers.ts'
import type { ProjectModules } from './module-hooks.ts'
import { FileWatch } from './watch-files.ts'

/** For as long as a day what runs may finish with the code that it began with. */
const oldCodeGraceMs = 86_400_000

export interface Reload {
  /** Paths of files that were written, made or removed. */
  readonly changed: readonly string[]
  readonly handlers: Handlers
  /** How many jobs finish with the code that they began with. */
  readonly running: number
}

interface Deps {
  readonly stint: Stint
  readonly root: string
  readonly patterns: readonly string[]
  readonly modules: ProjectModules
  readonly options: Omit<WorkerOptions, 'jobs'>
  /** Jobs that are there whatever the files say. */
  readonly others: readonly AnyJob[]
}

/** A worker whose handlers are those that the files of a project define, and change with them. */
export class ReloadingWorker {
  readonly #deps: Deps
  readonly #retiring = new Set<Worker>()
  #worker: Worker | null = null
  #handlers: Handlers = { files: [], jobs: [] }
  #watch: FileWatch | null = null
  #seen: ReadonlyMap<string, string> = new Map()
  #reloading: Promise<void> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get handlers(): Handlers {
    return this.#handlers
  }

  /** How many jobs run here, with old code or new. */
  get heldCount(): number {
    return [...this.#retiring].reduce((sum, worker) => sum + worker.heldCount, this.#worker?.heldCount ?? 0)
  }

  /** Loads the handlers; nothing runs before `start`. */
  async load(): Promise<Handlers> {
    this.#handlers = await this.#read()
    return this.#handlers
  }

  async start(): Promise<void> {
    this.#worker = this.#newWorker()
    await this.#worker.start()
  }

  /** Begins to load the files again when they change. */
  watch(onReload: (reload: Reload) => void): void {
    this.#watch = new FileWatch(() => {
      this.#reloading = this.#reloading.then(() => this.#reload(onReload))
    })
    this.#seen = this.#stamps()
    this.#look()
  }

  /** Stops to claim, and lets what runs finish. */
  async stop(graceMs: number): Promise<void> {
    this.#watch?.close()
    await this.#reloading
    await Promise.all(
      [...this.#retiring, ...(this.#worker === null ? [] : [this.#worker])].map((worker) => worker.stop({ graceMs })),
    )
  }

  /** Gives back what still runs, though it goes on here: for a process that ends in a moment. Nothing of it is charged. */
  async giveBack(): Promise<void> {
    const { store } = this.#deps.stint
    for (const { id } of [...this.#retiring, ...(this.#worker === null ? [] : [this.#worker])]) {
      const held = id === null ? [] : await store.held(id)
      await store.apply(held.map(({ jobId, token }) => ({ job: jobId, command: { type: 'giveBack', token } })))
    }
  }

  async #read(): Promise<Handlers> {
    const { root, patterns, modules } = this.#deps
    return await loadHandlers(root, filesOf(root, patterns), modules)
  }

  async #reload(onReload: (reload: Reload) => void): Promise<void> {
    const changed = this.#changed()
    if (changed.length === 0) return
    this.#deps.modules.renew()
    const before = this.#handlers
    const read = await this.#read().catch(() => before)
    const after = withOldOf(before, read)
    this.#look()
    const old = this.#worker
    this.#handlers = after
    this.#worker = this.#newWorker()
    const running = old?.heldCount ?? 0
    if (old !== null) this.#retire(old)
    await this.#worker.start()
    onReload({ handlers: after, running, changed })
  }

  /** What has changed since the last look. Much else may happen in the same directories. */
  #changed(): readonly string[] {
    const { root } = this.#deps
    const before = this.#seen
    this.#seen = this.#stamps()
    const paths = [...new Set([...before.keys(), ...this.#seen.keys()])]
    return paths.filter((path) => before.get(path) !== this.#seen.get(path)).map((path) => relative(root, path))
  }

  #stamps(): ReadonlyMap<string, string> {
    const { root, patterns, modules } = this.#deps
    const stamps = [...modules.files, ...filesOf(root, patterns)].map((file): [string, string] => {
      const found = statSync(file, { throwIfNoEntry: false })
      return [file, found === undefined ? 'gone' : `${found.mtimeMs} ${found.size}`]
    })
    return new Map(stamps)
  }

  #retire(worker: Worker): void {
    this.#retiring.add(worker)
    void worker.stop({ graceMs: oldCodeGraceMs }).then(() => this.#retiring.delete(worker))
  }

  #newWorker(): Worker {
    const { stint, options, others } = this.#deps
    // The first of a type is meant; what the files define comes before what is there anyway.
    const byType = new Map([...this.#handlers.jobs, ...others].reverse().map((job) => [job.type, job]))
    return stint.worker({ ...options, jobs: [...byType.values()] })
  }

  #look(): void {
    const { root, patterns, modules } = this.#deps
    this.#watch?.look(
      modules.files,
      patterns.flatMap((pattern) => directoriesOf(root, pattern)),
    )
  }
}

/** A file that cannot be loaded at the moment keeps the definitions that it had. */
function withOldOf(before: Handlers, read: Handlers): Handlers {
  const files = read.files.map((file) => {
    const old = before.files.find(({ path }) => path === file.path)
    return file.error === null || file.jobs.length > 0 ? file : { ...file, jobs: old?.jobs ?? [] }
  })
  return { files, jobs: files.flatMap(({ jobs }) => jobs) }
}

/** Where new files could come that a pattern means. */
function directoriesOf(root: string, pattern: string): readonly string[] {
  const fixed = pattern.split('/').slice(0, -1)
  const wild = fixed.findIndex((part) => /[*?{[]/.test(part))
  const base = join(root, ...(wild === -1 ? fixed : fixed.slice(0, wild)))
  const below = wild === -1 ? [] : globSync('**/', { cwd: base, exclude: (name) => name === 'node_modules' })
  return [base, dirname(base), ...below.map((each) => join(base, each))].filter(isDirectory)
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
