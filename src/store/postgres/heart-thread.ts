/** The beginning of the thread that renews the leases of a PostgreSQL store's workers. */
import { workerData } from 'node:worker_threads'
import { startBeating } from '../beat-loop.ts'
import type { HeartbeatRequest } from '../store.ts'
import { type Served, serve } from '../thread/serve.ts'
import type { HeartOptions } from './heart.ts'
import { Renewer } from './renewer.ts'

await serve(() => Promise.resolve(offer(new Renewer(workerData as HeartOptions))))

function offer(renewer: Renewer): Served {
  return {
    call: () => renewer.close(),
    start: (_, request, signal) => {
      const { workerId, leaseMs } = request as HeartbeatRequest
      return startBeating({ leaseMs, renew: () => renewer.renew({ workerId, leaseMs }), onBeat: signal })
    },
  }
}
