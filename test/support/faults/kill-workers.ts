import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { times } from '../racing.ts'
import { expectSound, outcomesOf, reasonsOf, untilAllEnded } from './expectations.ts'
import type { Place } from './place.ts'

/** A job that is lost again and again, for no fault of its own, has attempts enough and waits little. */
export const patient = { retry: { maxAttempts: 1_000, baseMs: 10, capMs: 100 } } as const

export async function submitWork({ stint }: Pick<Place, 'stint'>, count: number, ms: number): Promise<void> {
  const items = times(count, () => ({ job: 'work', params: { ms }, options: patient }))
  for (const result of await stint.submitMany(items)) if (result.status === 'rejected') throw result.reason
}

/** Kills workers at random moments in the middle of many jobs, and starts others in their place. */
export async function killWorkers(place: Place, { jobs, kills }: { jobs: number; kills: number }): Promise<void> {
  const workers = new Set(await Promise.all(times(3, () => place.startWorker())))
  for (let killed = 0; killed < kills; killed++) {
    await submitWork(place, Math.floor(jobs / kills), 50)
    // Whoever begins something next is killed, at any moment after.
    const victim = await Promise.race([...workers].map((worker) => worker.heardMore(1).then(() => worker)))
    await sleep(Math.random() * 100)
    await victim.kill()
    workers.delete(victim)
    workers.add(await place.startWorker())
  }
  await submitWork(place, jobs % kills, 50)
  const all = await untilAllEnded(place)
  await expectSound(place, all)
  expect(outcomesOf(all)).toEqual({ COMPLETED: jobs })
  // Someone died in the middle of something, or nothing was tried here.
  expect(reasonsOf(all)).toEqual(['lease_lost'])
}

/** Kills processes that submit: what they were told is there. */
export async function killSubmitters(place: Place, { kills }: { kills: number }): Promise<void> {
  const acknowledged: string[] = []
  for (let killed = 0; killed < kills; killed++) {
    const submitter = place.start('submit-with-stint', { lanes: 1 + killed })
    await submitter.heard(20)
    await sleep(Math.random() * 30)
    await submitter.kill()
    acknowledged.push(...submitter.lines)
  }
  await place.startWorker()
  const all = await untilAllEnded(place)
  await expectSound(place, all)
  const completed = new Set(place.executions().map((line) => line.split(' ')[0]))
  expect(acknowledged.filter((id) => !completed.has(id))).toEqual([])
  expect(outcomesOf(all)).toEqual({ COMPLETED: all.length })
}

/** The result of a job whose workers are killed until it is over, or so many of them were. */
async function resultDespiteKills(place: Place, type: string, params: object, kills: number) {
  const workers = new Set(await Promise.all(times(3, () => place.startWorker())))
  const job = await place.stint.submit(type, params, patient)
  const result = place.stint.jobs.result(job.id)
  const over = result.then(
    () => null,
    () => null,
  )
  let killed = 0
  for (; killed < kills; killed++) {
    // Workers have nothing more to say once the job is over.
    const next = [...workers].map((worker) => worker.heardMore(3).then(() => worker))
    const victim = await Promise.race([over, ...next])
    for (const waiting of next) waiting.catch(() => {})
    if (victim === null) break
    await sleep(Math.random() * 50)
    await victim.kill()
    workers.delete(victim)
    workers.add(await place.startWorker())
  }
  expect(killed).toBeGreaterThan(0)
  return { job, result: await result }
}

/** Kills workers in the middle of a pipeline: every value arrives, and its result is as if nobody had died. */
export async function killPipeline(place: Place, { leaves, kills }: { leaves: number; kills: number }): Promise<void> {
  const { job, result } = await resultDespiteKills(place, 'tree', { leaves, ms: 30 }, kills)
  expect(result).toBe((leaves * (leaves - 1)) / 2)
  const { jobs } = await place.stint.graph(job)
  expect(jobs.filter(({ status, outcome }) => status !== 'CANCELLED' && outcome !== 'COMPLETED')).toEqual([])
  expect(await place.stint.verify()).toEqual({ differences: [] })
}

/** Kills workers in the middle of a sharded job: every slice counts once, and its result is as if nobody had died. */
export async function killShards(
  place: Place,
  { shards, slices, kills }: { shards: number; slices: number; kills: number },
): Promise<void> {
  const { job, result } = await resultDespiteKills(place, 'sum', { shards, slices, ms: 30 }, kills)
  const total = shards * slices
  expect(result).toBe((total * (total - 1)) / 2)
  const { items: tasks } = await place.stint.shards.tasks(job, { limit: shards })
  expect(tasks.filter(({ status, slice, retries }) => status !== 'DONE' || slice !== slices || retries > 0)).toEqual([])
  // The log of a task says the same: each slice was saved once, in order. `verify` folds it again.
  const { items: log } = await place.stint.events.list({ job: tasks[0]?.id ?? '', limit: 1_000 })
  const saved = log.filter(({ eventType }) => eventType === 'task.slice.completed')
  expect(saved.map(({ attributes }) => attributes['seq'])).toEqual(times(slices - 1, (i) => i + 1))
  expect(await place.stint.verify()).toEqual({ differences: [] })
}
