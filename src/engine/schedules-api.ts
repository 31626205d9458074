import type { JsonObject } from '../core/json.ts'
import { type JobName, resolveName } from '../core/names/job-name.ts'
import { describeTiming } from '../core/schedule/describe.ts'
import { parseTiming } from '../core/schedule/parse-timing.ts'
import type { CatchUp, Overlap, ScheduleStatus } from '../core/schedule/schedule.ts'
import type { Fold, Gap } from '../core/schedule/timing.ts'
import { refuse } from '../store/check-input.ts'
import type { BackfillItem, Fired, JobTexture, Reprocess, ScheduleInput, ScheduleRow } from '../store/controls.ts'
import { missingRecord } from '../store/missing.ts'
import type { Env } from './env.ts'
import { limitInput } from './gates-api.ts'
import type { AnyJob } from './handler.ts'
import { type Instant, instantRule, readInstant } from './instants.ts'
import { dateOf } from './job-view.ts'
import type { Page } from './jobs-api.ts'
import { type Outlook, outlookOf, type PreviewOptions, type TimingOptions, timingSpecOf } from './preview-fires.ts'
import { pageOf, type RecordsQuery, requestOf } from './record-pages.ts'
import { defaultsOf, type SettingsOptions } from './templates-api.ts'

export interface ScheduleOptions extends TimingOptions, SettingsOptions {
  /** A name for people. */
  readonly label?: string | null
  /** What its jobs are made of: a template by id or path, */
  readonly template?: string | null
  /** or a definition, or a type. */
  readonly job?: AnyJob | string | null
  /** Params of its jobs, merged over those of the template by their first level. */
  readonly params?: JsonObject
  /** What becomes of a fire while a job of an earlier one lives. Default `allow`. */
  readonly overlap?: Overlap
  /** What becomes of instants that passed while nobody was there. Default the latest fires. */
  readonly catchUp?: CatchUp['mode'] | CatchUp | CatchUpAll
  /** Jobs are put off by up to so long, each by its own share. Default 0. */
  readonly jitterMs?: number
}

/** All fire that are not older than the window (default 7 days), the newest so many (default 100). */
export interface CatchUpAll {
  readonly mode: 'all'
  readonly windowMs?: number
  readonly max?: number
}

export interface NewScheduleOptions extends ScheduleOptions {
  /** Its place in the tree, `/reports/daily`. Its jobs are named below it, by their instants. */
  readonly path: string
  /** Default true. */
  readonly enabled?: boolean
}

/** A schedule as it is shown. */
export interface ScheduleView {
  readonly id: string
  readonly path: string
  readonly label: string | null
  readonly templateId: string | null
  /** The type of its jobs, without a template. */
  readonly type: string | null
  readonly status: ScheduleStatus
  readonly enabled: boolean
  /** Why it stopped by itself; null when it did not. */
  readonly blocked: string | null
  readonly cron: string | null
  readonly intervalMs: number | null
  /** From when the fires of an interval are counted, if it says so. */
  readonly anchor: Date | null
  readonly timezone: string
  readonly gap: Gap
  readonly fold: Fold
  readonly startAt: Date | null
  readonly endAt: Date | null
  readonly excludedDates: readonly string[]
  /** When it fires, in words. */
  readonly description: string
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  readonly jitterMs: number
  /** What its jobs have over the template. */
  readonly overrides: JobTexture
  readonly lastTriggeredAt: Date | null
  readonly nextTriggerAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface FiredView extends Omit<Fired, 'at'> {
  readonly at: Date
}

export interface BackfillOptions {
  readonly from: Instant
  readonly to: Instant
  /** What happens to instants that fired before. Default none. */
  readonly reprocess?: Reprocess
  /** Only tells what it would do. Default false. */
  readonly dryRun?: boolean
}

export interface BackfillView extends Omit<BackfillItem, 'at'> {
  readonly at: Date
}

const backfillPage = 100
/** More than that in one call is a mistake more often than not. */
const backfillMax = 10_000

/** Schedules: what makes jobs by time. */
export class SchedulesApi {
  readonly #env: Env
  readonly #namespace: JobName

  constructor(env: Env, namespace: JobName) {
    this.#env = env
    this.#namespace = namespace
  }

  async create({ path, enabled = true, ...options }: NewScheduleOptions): Promise<ScheduleView> {
    const { store, newId } = this.#env
    const input = {
      ...inputOf({ ...defaultsOf(options.job), ...options }),
      id: newId(),
      path: resolveName(path, this.#namespace).toWire(),
      enabled,
    }
    return viewOf(await store.control('schedule.create', input))
  }

  /** By id or path; null when there is none. A path finds no deleted schedule. */
  async get(schedule: string): Promise<ScheduleView | null> {
    const row = await this.#env.store.control('schedule.get', { schedule })
    return row === null ? null : viewOf(row)
  }

  /** Schedules, the newest first. */
  async list(query: RecordsQuery = {}): Promise<Page<ScheduleView>> {
    return pageOf(await this.#env.store.control('schedule.list', requestOf(query)), viewOf)
  }

  /** The next instants of its times, as ISO texts, whether it is enabled or not. */
  async preview(schedule: string, options: PreviewOptions = {}): Promise<string[]> {
    return (await this.outlook(schedule, options)).fires.map((fire) => fire.toISOString())
  }

  /** The same with its times in words, and with the changes of clocks that fall between. */
  async outlook(schedule: string, options: PreviewOptions = {}): Promise<Outlook> {
    const { store, clock } = this.#env
    const row = await store.control('schedule.get', { schedule })
    if (row === null) throw missingRecord('schedule', schedule)
    return outlookOf(row.timing, { from: clock.now(), ...options })
  }

  async update(schedule: string, changes: ScheduleOptions): Promise<ScheduleView> {
    return viewOf(await this.#env.store.control('schedule.change', { schedule, changes: inputOf(changes) }))
  }

  /** It fires from now on. What passed while it was off is not made up for. */
  async enable(schedule: string): Promise<ScheduleView> {
    return viewOf(await this.#env.store.control('schedule.enable', { schedule }))
  }

  async disable(schedule: string): Promise<ScheduleView> {
    return viewOf(await this.#env.store.control('schedule.disable', { schedule }))
  }

  /** It never fires again. Its jobs stay. */
  async delete(schedule: string): Promise<ScheduleView> {
    return viewOf(await this.#env.store.control('schedule.delete', { schedule }))
  }

  /** Fires once, now, whether it is enabled or not. */
  async trigger(schedule: string, { overlap }: { readonly overlap?: Overlap } = {}): Promise<FiredView> {
    const input = { schedule, ...(overlap === undefined ? {} : { overlap }) }
    const fired = await this.#env.store.control('schedule.trigger', input)
    return { ...fired, at: new Date(fired.at) }
  }

  /** Fires for the instants of a time that has passed. With `dryRun` it only tells what it would do. */
  async backfill(schedule: string, options: BackfillOptions): Promise<readonly BackfillView[]> {
    const { from, to, ...how } = options
    const range = { from: instantOf(from, 'from'), to: instantOf(to, 'to') }
    const items: BackfillView[] = []
    for (let after: number | null = null; items.length < backfillMax; ) {
      const input = { schedule, ...range, ...how, after, limit: backfillPage }
      const page: { items: readonly BackfillItem[]; next: number | null } = await this.#env.store.control(
        'schedule.backfill',
        input,
      )
      items.push(...page.items.map((item) => ({ ...item, at: new Date(item.at) })))
      if (page.next === null) break
      after = page.next
    }
    return items
  }
}

function inputOf({ job, limits, catchUp, ...options }: ScheduleOptions): ScheduleInput {
  return {
    ...timingSpecOf(options),
    ...(job === undefined ? {} : { type: typeof job === 'string' || job === null ? job : job.type }),
    ...(limits === undefined ? {} : { limits: limits.map(limitInput) }),
    ...(catchUp === undefined
      ? {}
      : { catchUp: (typeof catchUp === 'string' ? { mode: catchUp } : catchUp) as CatchUp }),
  }
}

function instantOf(value: Instant, field: string): number {
  const instant = readInstant(value)
  if (instant === null) throw refuse(field, value, instantRule)
  return instant
}

function viewOf(row: ScheduleRow): ScheduleView {
  const { timing, template, overrides, status } = row
  return {
    id: row.id,
    path: row.path,
    label: row.label,
    templateId: template,
    type: row.type,
    status,
    enabled: status === 'ENABLED',
    blocked: row.blocked,
    cron: timing.cron ?? null,
    intervalMs: timing.intervalMs ?? null,
    anchor: dateOf(timing.anchor ?? null),
    timezone: timing.timezone ?? 'UTC',
    gap: timing.gap ?? 'shift',
    fold: timing.fold ?? 'first',
    startAt: dateOf(timing.startAt ?? null),
    endAt: dateOf(timing.endAt ?? null),
    excludedDates: timing.excludedDates ?? [],
    description: describeTiming(parseTiming(timing)),
    overlap: row.overlap,
    catchUp: row.catchUp,
    jitterMs: row.jitterMs,
    overrides: overrides as unknown as JobTexture,
    lastTriggeredAt: dateOf(row.lastTriggeredAt),
    nextTriggerAt: dateOf(row.nextTriggerAt),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
  }
}
