import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RunningProgram } from '../processes/run-program.ts'
import { chargedOf, expectSound, outcomesOf, reasonsOf, untilAllEnded } from './expectations.ts'
import { patient, submitWork } from './kill-workers.ts'
import type { Place } from './place.ts'

/** Suspends a worker for longer than its lease. When it wakes up, its job belongs to somebody else. */
export async function suspendWorker(place: Place): Promise<void> {
  const { stint } = place
  const sleeper = await place.startWorker()
  const job = await stint.submit('write-on', {}, patient)
  await sleeper.heardLine(`ran ${job.id} 1`)
  await suspend(place, sleeper)
  const other = await place.startWorker()
  await other.heardLine(`ran ${job.id}`)
  sleeper.signal('SIGCONT')
  expect(await sleeper.heardLine('refused ')).toBe('stale_token, the signal says lost')
  const completedBy = await job.result()
  other.signal('SIGTERM')
  await other.finished()

  // Nobody else is left to answer.
  const answer = await (await stint.submit('who-am-i')).result()
  const before = await sleeper.heardLine('ready ')
  expect(answer).not.toBe(before)
  expect(completedBy).toBe((await stint.jobs.get(job.id))?.attempt)
  const { items: runs } = await stint.runs.list({ job: job.id })
  expect(runs.at(0)).toMatchObject({ status: 'FAILED', reason: 'lease_lost', workerId: before })
  expect(runs.filter(({ status }) => status === 'COMPLETED')).toHaveLength(1)
  expect((await stint.verify()).differences).toEqual([])
  sleeper.signal('SIGTERM')
  await sleeper.finished()
}

/** On SQLite a process that is suspended within a transaction holds everybody up, so it must be another moment. */
async function suspend(place: Place, program: RunningProgram): Promise<void> {
  for (;;) {
    program.signal('SIGSTOP')
    // The signal is sent, but its threads stop one after the other, and one of them may still begin a transaction.
    await sleep(100)
    if (!place.isLocked()) return
    program.signal('SIGCONT')
    await sleep(Math.random() * 20)
  }
}

/** Stops workers in the middle of their work, one after the other. What they held runs elsewhere, and nothing is charged. */
export async function stopGracefully(place: Place, { stops }: { stops: number }): Promise<void> {
  // Nobody dies here, so nobody needs to be found dead soon.
  const orders = { leaseMs: 20_000, graceMs: 50 }
  let stopped = await place.startWorker(orders)
  for (let i = 0; i < stops; i++) {
    await submitLong(place, stopped)
    // These wait behind it for whoever has room.
    await submitWork(place, 20, 20)
    const next = await place.startWorker(orders)
    // Every other one is told once more, as by somebody who has no patience.
    for (let sent = 0; sent <= i % 2; sent++) stopped.signal('SIGTERM')
    await stopped.finished()
    stopped = next
  }
  const all = await untilAllEnded(place)
  await expectSound(place, all)
  expect(outcomesOf(all)).toEqual({ COMPLETED: 30 * stops })
  expect(reasonsOf(all)).toEqual(['released'])
  expect(chargedOf(all)).toBe(0)
}

/** As many jobs as a worker runs at once. In their first attempt they would take longer than anybody waits. */
async function submitLong({ stint }: Place, worker: RunningProgram): Promise<void> {
  for (let i = 0; i < 10; i++) {
    const { id } = await stint.submit('work', { ms: 600_000, laterMs: 20 }, patient)
    await worker.heardLine(`ran ${id} 1`)
  }
}

/** A handler that computes for much longer than the lease, and lets nothing else happen in its process, keeps its job. */
export async function blockWorker(place: Place, { leaseMs }: { leaseMs: number }): Promise<void> {
  const busy = await place.startWorker({ leaseMs })
  const job = await place.stint.submit('block', { ms: 3 * leaseMs }, patient)
  await busy.heardLine(`ran ${job.id} 1`)
  // It would take the job away if it could.
  await place.startWorker({ leaseMs })
  expect(await job.result()).toBe(1)
  const all = await untilAllEnded(place)
  await expectSound(place, all)
  expect(reasonsOf(all)).toEqual([])
  expect(place.executions()).toEqual([`${job.id} 1`])
}
