import { it } from 'vitest'
import { systemClock } from '../../src/engine/clock.ts'
import type { Env } from '../../src/engine/env.ts'
import { Hub } from '../../src/engine/hub.ts'
import { Upkeep } from '../../src/engine/upkeep/upkeep.ts'
import { until } from '../support/stint.ts'

it('a service that has much to do at first does not keep the others from starting', async () => {
  const asked = new Set<string>()
  const rescued = Promise.withResolvers<readonly string[]>()
  const store = new Proxy({} as Env['store'], {
    get: (_, method: string) => () => {
      asked.add(method)
      return method === 'buryLost' ? rescued.promise : Promise.reject(new Error('not here'))
    },
  })
  const metrics = { add: () => {} } as unknown as Env['metrics']
  const env = { clock: systemClock, hub: new Hub(), random: () => 0.5, store, metrics } as unknown as Env
  const upkeep = new Upkeep(env, { upkeepMs: 60_000, leaseMs: 60_000 })
  upkeep.start()
  await until(
    () => [...asked],
    (methods) => methods.includes('overdue') && methods.includes('control'),
  )
  rescued.resolve([])
  await upkeep.stop()
})
