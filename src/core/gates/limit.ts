import { StintError, show } from '../errors.ts'

/**
 * How much of something may happen at once, and how often it may begin. A key is any text that jobs share, such as
 * `customer:42`; one that begins with a slash is a path, and holds for every job at it or below.
 */
export interface Limit {
  readonly key: string
  /** The most attempts that may be open at once; null for any number. */
  readonly concurrency: number | null
  /** The most attempts that may start within any time of this length; null for any number. */
  readonly rate: Rate | null
}

export interface Rate {
  readonly count: number
  readonly perMs: number
}

const units: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ ms: 1, s: 1_000, sec: 1_000, second: 1_000, m: 60_000, min: 60_000, minute: 60_000 },
    ...{ h: 3_600_000, hour: 3_600_000, d: 86_400_000, day: 86_400_000 },
  }),
)

/** Reads `100/min`, `5/s`, `1000/day`, `3/10s`. */
export function parseRate(text: string): Rate {
  const parts = typeof text === 'string' ? /^([1-9][0-9]{0,8})\/([1-9][0-9]{0,5})?([a-z]+)$/.exec(text) : null
  const unit = units.get(parts?.[3] ?? '')
  if (parts === null || unit === undefined) {
    const rule = 'must be a number and a time, such as 100/min, 5/s or 3/10s'
    throw new StintError('invalid_argument', `rate ${rule}; got ${show(text)}.`, { field: 'rate', rule })
  }
  return { count: Number(parts[1]), perMs: Number(parts[2] ?? 1) * unit }
}

/** A limit at one moment: how many hold it, and how many have started within its time. */
export interface LimitState extends Limit {
  readonly id: number
  readonly held: number
  readonly started: number
}

/** How many more may start now. */
export function roomOf({ concurrency, rate, held, started }: Omit<LimitState, 'id' | 'key'>): number {
  const free = concurrency === null ? Number.POSITIVE_INFINITY : concurrency - held
  const left = rate === null ? Number.POSITIVE_INFINITY : rate.count - started
  return Math.max(0, Math.min(free, left))
}

export function isPath(key: string): boolean {
  return key.startsWith('/')
}

/** What is not said stays as it is; a limit that is new has no bounds but those that are said. */
export interface LimitInput {
  readonly key: string
  readonly concurrency?: number | null
  readonly rate?: Rate | null
}
