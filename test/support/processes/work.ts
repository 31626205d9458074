/** Submits, claims and completes, until it has submitted `count` jobs and finds nothing more to claim. */
import { randomUUID } from 'node:crypto'
import { openStoreOf, readOrders } from './store-of.ts'

const orders = readOrders()
const store = await openStoreOf(orders)
let submitted = 0
let completed = 0
for (let round = 0; ; round++) {
  const batch = Array.from({ length: Math.min(5, orders.count - submitted) }, (_, i) => {
    return { id: randomUUID(), name: `/test/${orders.name}-${submitted + i}-x`, type: 'work' }
  })
  const results = batch.length === 0 ? [] : await store.submit(batch)
  for (const result of results) if (result.outcome === 'refused') throw result.error
  submitted += batch.length

  const token = `${orders.name}.${round}`
  const claimed = await store.claim({ workerId: orders.name, token, types: ['work'], limit: 7 })
  const ending = { kind: 'completed', resultDigest: null } as const
  const ends = claimed.map(
    (job) => ({ job, command: { type: 'finish', token, ending }, result: `"${token}"` }) as const,
  )
  for (const result of await store.apply(ends)) if (!result.ok) throw result.error
  completed += claimed.length
  // Reading, too, meets whatever the others are doing to the file.
  await store.events({ limit: 5 })
  if (batch.length === 0 && claimed.length === 0) break
}
await store.close()
console.log(JSON.stringify({ submitted, completed }))
