import { Queue, Worker } from 'bullmq'
import { inParts, type Open, type Params } from '../harness/system.ts'

/** Jobs that are done stay in Redis. */
export const open: Open = async (url, settings) => {
  const { hostname: host, port } = new URL(url)
  const connection = { host, port: Number(port), maxRetriesPerRequest: null }
  const queue = new Queue<Params>('noop', { connection })
  await queue.waitUntilReady()
  let worker: Worker<Params> | null = null
  let unrecorded = 0
  return {
    submitMany: (jobs) =>
      inParts(jobs, { size: 1_000, atOnce: 1 }, (part) =>
        queue.addBulk(
          part.map(({ params: data, priority, scheduledFor }) => ({
            name: 'noop',
            data,
            opts: {
              // Smaller is sooner here, and 0 has no priority.
              ...(priority === undefined ? {} : { priority: 1_000 - priority }),
              ...(scheduledFor === undefined ? {} : { delay: scheduledFor.getTime() - Date.now() }),
            },
          })),
        ),
      ),
    async submit(params) {
      await queue.add('noop', params)
    },
    async start(handler) {
      const run = async ({ data }: { data: Params }) => {
        unrecorded += 1
        await handler(data)
      }
      worker = new Worker<Params>('noop', run, { connection, concurrency: Number(settings['concurrency']) })
      worker.on('completed', () => {
        unrecorded -= 1
      })
      await worker.waitUntilReady()
    },
    unrecorded: () => unrecorded,
    async stop() {
      await worker?.close()
    },
    async close() {
      await queue.close()
    },
  }
}
