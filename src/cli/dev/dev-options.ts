/** How `stint dev` was asked for. */
export interface DevOptions {
  readonly files: readonly string[]
  readonly port: number | null
  readonly concurrency: number
  readonly graceMs: number
  readonly demo: boolean
  readonly reload: boolean
  readonly commands: boolean
}

/** How many jobs there are that are not over. */
export interface Live {
  readonly waiting: number
  readonly running: number
}
