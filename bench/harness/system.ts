/** What a job carries: about 100 bytes as JSON. */
export interface Params {
  readonly n: number
  readonly text: string
}

export interface Job {
  readonly params: Params
  /** Higher sooner. */
  readonly priority?: number
  /** When it may run first. */
  readonly scheduledFor?: Date
  /** It waits for a limit that is full. */
  readonly limited?: boolean
}

export type Handler = (params: Params) => Promise<void>

/** One job system, behind the few things that the benchmark asks of all of them. */
export interface System {
  /** Durable when it resolves, by the bulk interface of the system. */
  submitMany(jobs: readonly Job[]): Promise<void> | void
  /** Durable when it resolves. */
  submit(params: Params): Promise<void> | void
  /** Begins to work on what is there. */
  start(handler: Handler): Promise<void> | void
  /** How many jobs whose handlers have returned are not yet recorded as done. Asked when no handler runs any more. */
  unrecorded(): Promise<number> | number
  /** Ends what `start` began. */
  stop(): Promise<void>
  close(): Promise<void> | void
  /** What is wrong with what was stored; empty when all is well. Only for data that Stint can read. */
  verify?(): Promise<readonly string[]>
}

/** Each file in `systems/` and `peers/` exports one as `open`. */
export type Open = (url: string, settings: Settings) => Promise<System> | System

/** The settings of one system, as its own file understands them. */
export type Settings = Readonly<Record<string, number | boolean>>

export const text = 'a job carries a little text: an address, a file, a customer, and what is to be done'

export function params(n: number): Params {
  return { n, text }
}

/** In parts of the size that suits a system, so many at once. */
export async function inParts<T>(
  all: readonly T[],
  { size, atOnce }: { readonly size: number; readonly atOnce: number },
  send: (part: readonly T[], line: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const line = async (_: unknown, nth: number) => {
    while (next < all.length) {
      const part = all.slice(next, next + size)
      next += part.length
      await send(part, nth)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, line))
}
