import Database from 'better-sqlite3'
import { better, defineQueue, defineWorker, type Worker } from 'plainjob'
import type { Open } from '../harness/system.ts'

const nothing = () => {}
const logger = { error: console.error, warn: console.warn, info: nothing, debug: nothing }

/** As it comes: it sets `synchronous` to NORMAL itself, so a power cut may take commits that it has answered. */
export const open: Open = (url) => {
  const queue = defineQueue({ connection: better(new Database(url.slice('sqlite:'.length))), logger })
  let worker: Worker | null = null
  let running: Promise<void> | null = null
  let unrecorded = 0
  return {
    submitMany(jobs) {
      queue.addMany(
        'noop',
        jobs.map(({ params }) => params),
      )
    },
    submit(params) {
      queue.add('noop', params)
    },
    start(handler) {
      const run = async ({ data }: { data: string }) => {
        unrecorded += 1
        await handler(JSON.parse(data))
      }
      const onCompleted = () => {
        unrecorded -= 1
      }
      worker = defineWorker('noop', run, { queue, logger, onCompleted })
      running = worker.start()
    },
    unrecorded: () => unrecorded,
    async stop() {
      await worker?.stop()
      await running
    },
    close: () => queue.close(),
  }
}
