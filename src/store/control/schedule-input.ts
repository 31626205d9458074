import type { JsonObject } from '../../core/json.ts'
import { parseTiming } from '../../core/schedule/parse-timing.ts'
import type { CatchUp, Overlap, ScheduleContent } from '../../core/schedule/schedule.ts'
import type { TimingSpec } from '../../core/schedule/timing.ts'
import { checkInteger, checkObject, checkOptionalText, checkType, refuse } from '../check-input.ts'
import type { ScheduleInput } from '../controls.ts'
import { checkSettings, settingNames } from '../settings.ts'
import { checkParams } from './templates.ts'

const overlaps: readonly string[] = ['allow', 'skip', 'queue-one', 'cancel-running'] satisfies Overlap[]
const timingNames = ['cron', 'intervalMs', 'anchor', 'timezone', 'gap', 'fold', 'startAt', 'endAt', 'excludedDates']
const ownNames = ['id', 'path', 'label', 'template', 'type', 'overlap', 'catchUp', 'jitterMs', 'params', 'enabled']

const dayMs = 86_400_000

/** What is not said has its default, or stays as it is. The template is looked for elsewhere. */
export function checkScheduleInput(
  input: ScheduleInput,
  before: ScheduleContent | null,
): Omit<ScheduleContent, 'template'> {
  const names: readonly string[] = [...timingNames, ...ownNames, ...settingNames]
  const unknown = Object.keys(input).find((name) => !names.includes(name))
  if (unknown !== undefined) throw refuse(unknown, input, 'is no field of a schedule')
  const { label, type, overlap, catchUp, jitterMs } = input
  return {
    label: label === undefined ? (before?.label ?? null) : checkOptionalText(label, 'label', 255),
    type: type === undefined ? (before?.type ?? null) : type === null ? null : checkType(type),
    timing: checkTiming(input, before?.timing ?? {}),
    overlap: overlap === undefined ? (before?.overlap ?? 'allow') : checkOverlap(overlap),
    catchUp: catchUp === undefined ? (before?.catchUp ?? { mode: 'latest' }) : checkCatchUp(catchUp),
    jitterMs: jitterMs === undefined ? (before?.jitterMs ?? 0) : checkInteger(jitterMs, 'jitterMs', 0, dayMs),
    overrides: { ...before?.overrides, ...checkOverrides(input) },
  }
}

/** One who says when it fires in one way takes back that it fires in another. */
function checkTiming(input: ScheduleInput, before: TimingSpec): TimingSpec {
  const said = Object.fromEntries(
    timingNames.flatMap((name) => {
      const value = input[name as keyof TimingSpec]
      return value === undefined ? [] : [[name, value]]
    }),
  ) as TimingSpec
  const { cron, intervalMs, anchor, ...rest } = before
  const isRetimed = said.cron !== undefined || said.intervalMs !== undefined
  const kept = isRetimed ? rest : { ...rest, cron, intervalMs, anchor }
  const timing = JSON.parse(JSON.stringify({ ...kept, ...said })) as TimingSpec
  parseTiming(timing)
  return timing
}

function checkOverrides(input: ScheduleInput): JsonObject {
  const params = input.params === undefined ? {} : { params: checkParams(input.params) }
  return { ...checkSettings(input), ...params } as unknown as JsonObject
}

export function checkOverlap(value: unknown): Overlap {
  if (overlaps.includes(value as string)) return value as Overlap
  throw refuse('overlap', value, `must be one of ${overlaps.join(', ')}`)
}

const catchUpMax = 1_000

function checkCatchUp(value: unknown): CatchUp {
  const {
    mode,
    windowMs = 7 * dayMs,
    max = 100,
  }: { mode?: unknown; windowMs?: unknown; max?: unknown } = checkObject(value, 'catchUp')
  if (mode === 'none' || mode === 'latest') return { mode }
  if (mode !== 'all') throw refuse('catchUp.mode', mode, 'must be one of none, latest, all')
  return {
    mode,
    windowMs: checkInteger(windowMs, 'catchUp.windowMs', 1, 3_660 * dayMs),
    max: checkInteger(max, 'catchUp.max', 1, catchUpMax),
  }
}
