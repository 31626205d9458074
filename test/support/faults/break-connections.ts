import pg from 'pg'
import { expect, inject } from 'vitest'
import { times } from '../racing.ts'
import { expectSound, outcomesOf, untilAllEnded } from './expectations.ts'
import { type Place, postgresPlace } from './place.ts'

/** The databases's server restarts as after a crash, again and again, while processes submit and work. None may end. */
export async function restartServer(
  place: Place,
  restart: () => Promise<void>,
  { restarts }: { restarts: number },
): Promise<void> {
  const workers = await Promise.all(times(2, () => place.startWorker({ leaseMs: 2_000 })))
  const submitters = times(2, () => place.start('submit-with-stint', { pauseMs: 50 }))
  const programs = [...workers, ...submitters]
  for (let i = 0; i <= restarts; i++) {
    // All of them have found back to their work.
    await Promise.all(programs.map((program) => program.heardMore(10)))
    if (i < restarts) await restart()
  }
  for (const submitter of submitters) submitter.signal('SIGTERM')
  const acknowledged = (await Promise.all(submitters.map((submitter) => submitter.finished()))).flat()
  const all = await untilAllEnded(place)
  for (const worker of workers) worker.signal('SIGTERM')
  await Promise.all(workers.map((worker) => worker.finished()))
  await expectSound(place, all)
  expect(outcomesOf(all)).toEqual({ COMPLETED: all.length })
  const begun = new Set(place.executions().map((line) => line.split(' ')[0]))
  expect(acknowledged.filter((id) => !begun.has(id))).toEqual([])
}

/** All connections of one worker are ended by the server, again and again. It goes on. */
export async function endConnections({ ends }: { ends: number }): Promise<void> {
  const url = new URL(inject('postgresUrl'))
  const place = await postgresPlace()
  const name = `victim-${process.pid}`
  url.searchParams.set('application_name', name)
  const worker = await place.startWorker({ url: url.href, leaseMs: 2_000 })
  const submitter = place.start('submit-with-stint', { url: url.href, pauseMs: 50 })
  for (let i = 0; i < ends; i++) {
    await Promise.all([worker.heardMore(5), submitter.heardMore(5)])
    expect(await endConnectionsOf(name)).toBeGreaterThan(0)
  }
  await Promise.all([worker.heardMore(5), submitter.heardMore(5)])
  submitter.signal('SIGTERM')
  await submitter.finished()
  const all = await untilAllEnded(place)
  worker.signal('SIGTERM')
  await worker.finished()
  await expectSound(place, all)
  expect(outcomesOf(all)).toEqual({ COMPLETED: all.length })
}

async function endConnectionsOf(name: string): Promise<number> {
  const client = new pg.Client(inject('postgresUrl'))
  await client.connect()
  try {
    const sql = 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1'
    return (await client.query(sql, [name])).rows.length
  } finally {
    await client.end()
  }
}
