/** Plain jobs beside sharded ones: how fast they drain, whether slices get slower, and who has to wait for them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyJob } from '../../src/index.ts'
import { defineJob, defineShardedJob } from '../harness/built-stint.ts'
import { type Params, params } from '../harness/system.ts'
import { median } from '../report/statistics.ts'
import { Counter, perS, type Scenario, type Stage, timed } from './stage.ts'

/** No-op jobs, as the other benchmarks have them. */
export const plain: Scenario = async (stage, { jobs }) => {
  const handled = new Counter()
  const noop = defineJob('noop', { run: () => Promise.resolve(handled.add()) })
  const items = Array.from({ length: jobs }, (_, n) => ({ job: 'noop', params: params(n) }))
  const submitMs = await timed(() => stage.submitMany(items))
  return async () => {
    const ms = await timed(async () => {
      await stage.work(noop)
      await handled.until(jobs)
      await stage.untilRecorded()
    })
    return { plainPerS: perS(jobs, ms), plainSubmittedPerS: perS(jobs, submitMs + ms) }
  }
}

/** One slice for each shard, with the plan before and the result behind. */
const drained =
  (figure: 'shardsPerS' | 'shardsByDefaultPerS', width: number): Scenario =>
  async (stage, { jobs }) => {
    const sharded = defineShardedJob('sharded', {
      width,
      plan: () => Array.from({ length: jobs }, (_, n) => params(n)),
      slice: ({ state }: { state: Params }) => Promise.resolve({ state, done: true }),
      reduce: (tasks) => tasks.length,
    })
    const handle = await stage.stint.submit(sharded)
    return async () => {
      const ms = await timed(async () => {
        await stage.work(sharded)
        const found = await handle.result()
        if (found !== jobs) throw new Error(`${found} of ${jobs} shards were done.`)
        await stage.untilRecorded()
      })
      return { [figure]: perS(jobs, ms) }
    }
  }

/** More tasks than a worker holds at once, so that it always finds some. */
export const wideWidth = 1_000
export const defaultWidth = 64

export const shards = drained('shardsPerS', wideWidth)
export const shardsByDefault = drained('shardsByDefaultPerS', defaultWidth)

/** All shards at once, many slices each. */
export const slices: Scenario = async (stage, { shards, slices }) => {
  const begun: number[] = []
  const sharded = defineShardedJob('sliced', {
    width: shards,
    plan: () => Array.from({ length: shards }, () => ({ n: 0 })),
    slice: ({ state: { n } }: { state: { n: number } }) => {
      begun.push(performance.now())
      return Promise.resolve({ state: { n: n + 1 }, done: n + 1 === slices })
    },
    reduce: (tasks) => tasks.reduce((sum, { state }) => sum + state.n, 0),
  })
  const handle = await stage.stint.submit(sharded)
  return async () => {
    await stage.work(sharded)
    const found = await handle.result()
    if (found !== shards * slices) throw new Error(`${found} of ${shards * slices} slices were saved.`)
    const tenth = Math.floor(begun.length / 10)
    const of = (from: number, to: number) => ((begun.at(to) ?? 0) - (begun.at(from) ?? 0)) / tenth
    return { firstSliceMs: of(0, tenth), lastSliceMs: of(-1 - tenth, -1) }
  }
}

/** Single jobs for an idle worker: from the call to submit until the handler begins. */
export const idle: Scenario = (stage, { samples }) => {
  const probe = new Probe(stage)
  return Promise.resolve(async () => {
    await stage.work(probe.job)
    return { pickUpMs: await probe.pickUp(samples) }
  })
}

/** The same while tasks of a sharded job are on the same worker, which has more than enough free places. */
const beside =
  (figure: 'pickUpBesideMs' | 'pickUpBesideBusyMs', slice: () => Promise<unknown>): Scenario =>
  async (stage, { samples }) => {
    const probe = new Probe(stage)
    const sliced = new Counter()
    let done = false
    const sharded = defineShardedJob('beside', {
      plan: () => Array.from({ length: besideTasks }, () => 0),
      slice: async ({ state }: { state: number }) => {
        sliced.add()
        await slice()
        return { state: state + 1, done }
      },
    })
    const handle = await stage.stint.submit(sharded)
    return async () => {
      await stage.work(probe.job, sharded)
      await sliced.until(10 * besideTasks)
      const pickUpMs = await probe.pickUp(samples)
      done = true
      await handle.result()
      return { [figure]: pickUpMs }
    }
  }

export const besideTasks = 10
export const besideSliceMs = 10

export const besideWorking = beside('pickUpBesideMs', () => sleep(besideSliceMs))
export const besideBusy = beside('pickUpBesideBusyMs', () => Promise.resolve())

class Probe {
  readonly job: AnyJob
  readonly #stage: Stage
  #onBegin = () => {}

  constructor(stage: Stage) {
    this.#stage = stage
    this.job = defineJob('probe', { run: () => Promise.resolve(this.#onBegin()) })
  }

  /** The median of so many, in milliseconds. */
  async pickUp(count: number): Promise<number> {
    const found: number[] = []
    for (let n = 0; n < count; n++) {
      // Long enough that the worker is idle again; by chance, so that no timer is met always at the same moment.
      await sleep(5 + Math.random() * 10)
      const begins = Promise.withResolvers<number>()
      this.#onBegin = () => begins.resolve(performance.now())
      const submitted = performance.now()
      await this.#stage.stint.submit('probe', params(n))
      found.push((await begins.promise) - submitted)
    }
    return median(found)
  }
}
