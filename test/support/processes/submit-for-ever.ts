/** Submits one job after the other, and says the id of each only after the store has answered that it is there. */
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openStoreOf, readOrders } from './store-of.ts'

const orders = readOrders()
const store = await openStoreOf(orders)

async function submitForEver(lane: number): Promise<never> {
  for (let i = 0; ; i++) {
    const id = randomUUID()
    const [result] = await store.submit([
      { id, name: `/test/${orders.name}-${lane}-${i}-x`, type: 'work', params: '{}' },
    ])
    if (result === undefined || result.outcome !== 'created') throw new Error(`Not created: ${JSON.stringify(result)}`)
    // Written at once: what stays in a buffer dies with the process.
    writeSync(1, `${id}\n`)
  }
}

// Several at a time, so that some share a commit.
await Promise.all(Array.from({ length: orders.count }, (_, lane) => submitForEver(lane)))
