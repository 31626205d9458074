import { Logger, makeWorkerUtils, type Runner, run, type WorkerUtils } from 'graphile-worker'
import pg from 'pg'
import { inParts, type Open, type Params } from '../harness/system.ts'

const logger = new Logger(() => () => {})

/** Jobs that are done are deleted. */
export const open: Open = async (url, settings) => {
  const concurrentJobs = Number(settings['concurrency'])
  const localQueueSize = Number(settings['localQueueSize'])
  const preset = {
    worker: {
      connectionString: url,
      concurrentJobs,
      logger,
      ...(localQueueSize > 0
        ? {
            maxPoolSize: Number(settings['poolSize']),
            localQueue: { size: localQueueSize },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          }
        : {}),
    },
  }
  const utils: WorkerUtils = await makeWorkerUtils({ preset })
  await utils.migrate()
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  let runner: Runner | null = null
  return {
    submitMany: (jobs) =>
      inParts(jobs, { size: 5_000, atOnce: 2 }, (part) =>
        utils.addJobs(
          part.map(({ params: payload, priority, scheduledFor }) => ({
            identifier: 'noop',
            payload,
            // Smaller is sooner here.
            ...(priority === undefined ? {} : { priority: -priority }),
            ...(scheduledFor === undefined ? {} : { runAt: scheduledFor }),
          })),
        ),
      ),
    async submit(params) {
      await utils.addJob('noop', params)
    },
    async start(handler) {
      const taskList = { noop: (payload: unknown) => handler(payload as Params) }
      runner = await run({ preset, taskList, noHandleSignals: true })
    },
    async unrecorded() {
      const { rows } = await pool.query(
        'select count(*)::integer as count from graphile_worker._private_jobs where run_at <= now()',
      )
      return rows[0].count
    },
    async stop() {
      await runner?.stop()
    },
    async close() {
      await utils.release()
      await pool.end()
    },
  }
}
