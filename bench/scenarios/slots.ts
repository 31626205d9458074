/** Jobs that need values of others: one after the other, one for all, and all for one. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { JobHandle, JobView, Page, Slotted } from '../../src/index.ts'
import { defineJob, definePipeline } from '../harness/built-stint.ts'
import { type Params, params } from '../harness/system.ts'
import { median } from '../report/statistics.ts'
import { Counter, perS, type Scenario, type Stage, timed } from './stage.ts'

/** A pipeline in which every job needs the output of the one before. */
export const chain: Scenario = async (stage, { steps }) => {
  const begun: number[] = []
  const step = defineJob('step', {
    run: ({ params: { n } }: { params: { n: number } }) => {
      begun.push(performance.now())
      return Promise.resolve(n + 1)
    },
  })
  const pipeline = definePipeline('chain', (p) => {
    let last = p.run(step, { n: 0 }).output
    for (let n = 1; n < steps; n++) last = p.run(step, { n: last }).output
    return last
  })
  const handle = await stage.stint.submit(pipeline)
  return async () => {
    const chainMs = await timed(async () => {
      await stage.work(pipeline, step)
      const found = await handle.result()
      if (found !== steps) throw new Error(`The chain of ${steps} gave ${found}.`)
    })
    const stepsMs = begun.slice(1).map((at, i) => at - (begun[i] ?? 0))
    return { chainMs, stepMs: median(stepsMs) }
  }
}

/** One job that needs the outputs of all others, in a list. */
export const fanIn: Scenario = async (stage, { jobs }) => {
  const given = new Counter()
  let [lastGivenAt, reducedAt] = [0, 0]
  const give = defineJob('give', {
    run: ({ params: { n } }: { params: Params }) => {
      given.add()
      lastGivenAt = performance.now()
      return Promise.resolve(n)
    },
  })
  const reduce = defineJob('reduce', {
    run: ({ params: { parts } }: { params: { parts: readonly number[] } }) => {
      reducedAt = performance.now()
      return Promise.resolve(parts.reduce((sum, part) => sum + part, 0))
    },
  })
  const handles = await stage.submitMany(Array.from({ length: jobs }, (_, n) => ({ job: give, params: params(n) })))
  const parts = handles.map(({ output }) => output) as Slotted<readonly number[]>
  const submitted = performance.now()
  const handle = await stage.stint.submit(reduce, { parts })
  const fanInSubmitMs = performance.now() - submitted
  return async () => {
    const ms = await timed(async () => {
      await stage.work(give, reduce)
      await given.until(jobs)
      while (!stage.isRecorded && reducedAt === 0) await nextTurn()
    })
    const found = await handle.result()
    if (found !== (jobs * (jobs - 1)) / 2) throw new Error(`The sum of ${jobs} outputs was ${found}.`)
    return { fanInPerS: perS(jobs, ms), fanInSubmitMs, fanInReduceMs: reducedAt - lastGivenAt }
  }
}

/** Many jobs that need the value of one promise. Nobody runs them before the last one is ready. */
export const fanOut: Scenario = async (stage, { jobs }) => {
  const taken = new Counter()
  const take = defineJob('take', { run: () => Promise.resolve(taken.add()) })
  const go = await stage.stint.slots.create<number>(`go-${jobs}`)
  const items = Array.from({ length: jobs }, (_, n) => ({ job: 'take', params: { ...params(n), go } }))
  const newest = (await stage.submitMany(items)).at(-1) as JobHandle
  return async () => {
    await stage.work(defineJob('other', { run: () => Promise.resolve() }))
    const begun = Date.now()
    const fillMs = await timed(() => stage.stint.slots.fill(go, 1))
    // Those that the call itself let go on are ready when it returns.
    const fanOutMs = Math.max(fillMs, (await lastReadyAt(stage, newest)) - begun)
    await stage.work(take)
    await taken.until(jobs)
    await stage.untilRecorded()
    return { fanOutMs, fanOutPerS: perS(jobs, fanOutMs) }
  }
}

const lookEveryMs = 50
const isWaiting = ({ queuedAt }: Pick<JobView, 'queuedAt'>) => queuedAt === null

/** When the last job that had to wait had not to any more, by the clock that the store keeps. */
async function lastReadyAt({ stint }: Stage, newest: JobHandle): Promise<number> {
  // They are let go in the order in which they came. To look at one takes little from those who let them go.
  for (;;) {
    const view = await stint.jobs.get(newest.id)
    if (view !== null && !isWaiting(view)) break
    await sleep(lookEveryMs)
  }
  let last = 0
  for (let cursor: string | null = null; ; ) {
    const query = { status: 'QUEUED', type: 'take', limit: 1_000, ...(cursor === null ? {} : { cursor }) } as const
    const page: Page<JobView> = await stint.jobs.list(query)
    if (page.items.some(isWaiting)) {
      await sleep(lookEveryMs)
      continue
    }
    for (const { queuedAt } of page.items) last = Math.max(last, queuedAt?.getTime() ?? 0)
    if (page.cursor === null) return last
    cursor = page.cursor
  }
}
