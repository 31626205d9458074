import { PgBoss } from 'pg-boss'
import { inParts, type Open, type Params } from '../harness/system.ts'

const queue = 'noop'

/** Jobs that are done keep their row. */
export const open: Open = async (url, settings) => {
  const notify = Boolean(settings['notify'])
  const boss = new PgBoss({ connectionString: url, useListenNotify: notify })
  boss.on('error', (error) => console.error('pg-boss:', error))
  await boss.start()
  if ((await boss.getQueue(queue)) === null) await boss.createQueue(queue, { notify })
  return {
    submitMany: (jobs) =>
      inParts(jobs, { size: 1_000, atOnce: 2 }, (part) =>
        boss.insert(
          queue,
          part.map(({ params: data, priority, scheduledFor }) => ({
            data,
            ...(priority === undefined ? {} : { priority }),
            ...(scheduledFor === undefined ? {} : { startAfter: scheduledFor }),
          })),
        ),
      ),
    async submit(params) {
      await boss.send(queue, params)
    },
    async start(handler) {
      const options = {
        batchSize: Number(settings['batchSize']),
        localConcurrency: Number(settings['pollers']),
        pollingIntervalSeconds: 0.5,
        burstWhenBatchFull: Boolean(settings['burst']),
      }
      await boss.work<Params>(queue, options, async (jobs) => {
        await Promise.all(jobs.map(({ data }) => handler(data)))
      })
    },
    async unrecorded() {
      const sql = `select count(*)::integer as count from pgboss.job where name = '${queue}' and state = 'active'`
      const { rows } = await boss.getDb().executeSql(sql)
      return rows[0].count
    },
    stop: () => boss.offWork(queue),
    close: () => boss.stop({ graceful: false }),
  }
}
