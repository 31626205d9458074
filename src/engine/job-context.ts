import { AsyncLocalStorage } from 'node:async_hooks'
import type { JobContext } from './handler.ts'

const running = new AsyncLocalStorage<JobContext>()

/** The context of the job that runs here, however deep in its handler's calls; null outside of any. */
export function currentContext(): JobContext | null {
  return running.getStore() ?? null
}

export function runInContext<T>(ctx: JobContext, work: (ctx: JobContext) => T): T {
  return running.run(ctx, work, ctx)
}
