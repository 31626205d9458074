import type { Cron } from './cron.ts'

/** What to do with a local time that does not exist, because clocks are set forward over it. */
export type Gap = 'shift' | 'skip'

/** Which to take of a local time that comes twice, because clocks are set back over it. */
export type Fold = 'first' | 'second' | 'both'

/** What a schedule says about its times, as it is stored. Instants are epoch milliseconds. */
export interface TimingSpec {
  /** 5 fields, or 6 with the seconds first, or a name such as `@daily`. Either this or `intervalMs`. */
  readonly cron?: string | null
  /** From 1 to ten years. */
  readonly intervalMs?: number | null
  /** A moment at which an interval fires, and from which all its other fires are counted. Default `startAt`, else 1970. */
  readonly anchor?: number | null
  /** An IANA zone, such as Europe/Berlin. Default UTC. */
  readonly timezone?: string | null
  /**
   * `shift` (default): fire once at the first moment after the gap. `skip`: do not fire. Only for a cron expression with
   * a fixed hour; one with a `*` in its hour follows the time that really passes.
   */
  readonly gap?: Gap | null
  /** Default `first`. Only for a cron expression with a fixed hour, like `gap`. */
  readonly fold?: Fold | null
  /** No fire before this moment. */
  readonly startAt?: number | null
  /** No fire after this moment. */
  readonly endAt?: number | null
  /** Local dates, `YYYY-MM-DD`, on which and for which nothing fires. */
  readonly excludedDates?: readonly string[] | null
}

/** The end of the year 9999, the last moment that an ISO text of four digits can show. What has no end ends here. */
export const lastInstant = 253_402_300_799_999

export interface Bounds {
  readonly timezone: string
  readonly startAt: number
  readonly endAt: number
  /** Local days, counted from 1970-01-01. */
  readonly excludedDays: ReadonlySet<number>
}

export interface Policies {
  readonly gap: Gap
  readonly fold: Fold
}

export interface CronTiming extends Bounds, Policies {
  readonly kind: 'cron'
  readonly cron: Cron
}

export interface IntervalTiming extends Bounds {
  readonly kind: 'interval'
  readonly intervalMs: number
  readonly anchor: number
}

/** The times of a schedule, checked and ready to be searched. */
export type Timing = CronTiming | IntervalTiming
