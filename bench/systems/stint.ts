import type { AnyJob, Worker } from '../../src/index.ts'
import { createStint, defineJob } from '../harness/built-stint.ts'
import type { Handler, Open, Params } from '../harness/system.ts'

/** Stint as users have it: the built package, by its public interface, with default settings but for the concurrency. */
export const open: Open = async (url, settings) => {
  const stint = await createStint({ url })
  const concurrency = Number(settings['concurrency'])
  const noop = (handler: Handler): AnyJob =>
    defineJob('noop', { run: (ctx: { params: Params }) => handler(ctx.params) })
  let worker: Worker | null = null
  return {
    async submitMany(jobs) {
      const results = await stint.submitMany(
        jobs.map(({ params, priority, scheduledFor, limited = false }) => ({
          job: 'noop',
          params,
          options: {
            ...(priority === undefined ? {} : { priority }),
            ...(scheduledFor === undefined ? {} : { scheduledFor }),
            ...(limited ? { limits: [{ key: 'full', concurrency: 0 }] } : {}),
          },
        })),
      )
      const refused = results.find((result) => result.status === 'rejected')
      if (refused !== undefined) throw refused.reason
    },
    async submit(params) {
      await stint.submit('noop', params)
    },
    async start(handler) {
      worker = stint.worker({ jobs: [noop(handler)], concurrency })
      await worker.start()
    },
    unrecorded: () => worker?.heldCount ?? 0,
    async stop() {
      await worker?.stop()
    },
    close: () => stint.close(),
    async verify() {
      const { differences } = await stint.verify()
      const { items: left } = await stint.jobs.list({ status: 'QUEUED', limit: 1 })
      return [...differences.map((each) => JSON.stringify(each)), ...left.map(({ name }) => `${name} was never run`)]
    },
  }
}
