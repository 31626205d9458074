import { firesBetween } from '../../src/core/schedule/fires.ts'
import { parseTiming } from '../../src/core/schedule/parse-timing.ts'
import type { CatchUp, Overlap } from '../../src/core/schedule/schedule.ts'
import { control } from '../../src/store/control/control.ts'
import type { NewSchedule } from '../../src/store/controls.ts'
import { ModelData } from './model-data.ts'
import { ModelTransaction } from './model-transaction.ts'
import { Random } from './random.ts'

const dayMs = 86_400_000

/** What a server that dies in the middle of a transaction throws: everything that it did is undone. */
class Crash extends Error {}

/** A transaction that dies at its nth step, wherever that is. */
function dyingAt(nth: number, tx: ModelTransaction): ModelTransaction {
  let steps = 0
  const dying = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (name === 'records' || name === 'fires' || name === 'gates') return dying(value as object)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          steps += 1
          if (steps > nth) throw new Crash()
          return value.apply(target, args)
        }
      },
    })
  return dying(tx)
}

export interface Years {
  readonly seed: number
  readonly from: number
  readonly years: number
  readonly catchUp: CatchUp
  readonly overlap: Overlap
  readonly timings: readonly Pick<NewSchedule, 'cron' | 'intervalMs' | 'timezone' | 'gap' | 'fold'>[]
  /** The longest time for which nobody is there. */
  readonly downtimeMs: number
}

export interface Told {
  readonly crashes: number
  /** For each schedule: the instants of its jobs, in the order in which they were made. */
  readonly fired: readonly (readonly number[])[]
  /** What its policy says that should have been fired, by when somebody was there to look. */
  readonly expected: readonly (readonly number[])[]
}

/** Lets schedules run for years: servers come and go, and each may die at any step of what it does. */
export async function runYears({ seed, from, years, catchUp, overlap, timings, downtimeMs }: Years): Promise<Told> {
  const random = new Random(seed)
  const data = new ModelData()
  const ids: string[] = []
  for (const [i, timing] of timings.entries()) {
    const id = `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`
    ids.push(id)
    const given = { id, path: `/s/n${i}`, type: 'work', ...timing, catchUp, overlap }
    await data.transact(() => control(new ModelTransaction(data, from), 'schedule.create', given))
  }
  const until = from + years * 365.25 * dayMs
  const looks: number[] = []
  let crashes = 0
  let now = from
  while (now <= until) {
    // A server dies at a step of its work about every third time, and another goes on, at once or later.
    const nth = random.chance(0.3) ? random.between(0, 30) : Number.POSITIVE_INFINITY
    const tx = new ModelTransaction(data, now)
    const fire = () => control(nth === Number.POSITIVE_INFINITY ? tx : dyingAt(nth, tx), 'schedule.fire', {})
    try {
      const { isDue, nextInMs } = await data.transact(fire)
      if (isDue) continue
      looks.push(now)
      if (nextInMs === null) break
      now += random.chance(0.02) ? random.between(1, downtimeMs) : Math.max(1, nextInMs)
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      crashes += 1
    }
  }
  const madeBy = (id: string) => data.jobs.values().filter(({ job }) => job.scheduleId === id)
  return {
    crashes,
    fired: ids.map((id) => madeBy(id).map(({ job }) => job.scheduledFor)),
    expected: timings.map((timing) => {
      return expectedOf(catchUp, firesBetween(parseTiming(timing), from, looks.at(-1) ?? from, 1_000_000), looks)
    }),
  }
}

/** An instant that somebody found within a minute was not missed. */
const lateMs = 60_000

function expectedOf({ mode }: CatchUp, due: readonly number[], looks: readonly number[]): readonly number[] {
  if (mode === 'all') return due
  const found = new Set<number>()
  let next = 0
  for (const look of looks) {
    while ((due[next] ?? Number.POSITIVE_INFINITY) <= look) next += 1
    const latest = due[next - 1]
    if (latest !== undefined && (mode === 'latest' || look - latest <= lateMs)) found.add(latest)
  }
  return [...found]
}
