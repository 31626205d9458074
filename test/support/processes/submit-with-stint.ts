/**
 * Submits one job after the other, and says the id of each only after Stint has answered that it is there. What is refused
 * for want of a database is counted and left. It ends at SIGTERM.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openStintOf, readStintOrders, say } from './stint-of.ts'

const orders = readStintOrders()
const stint = await openStintOf(orders)
let isStopping = false
process.on('SIGTERM', () => {
  isStopping = true
})

async function submitOnAndOn(): Promise<void> {
  while (!isStopping) {
    const submitted = await stint
      .submit('work', { ms: 5 }, { retry: { maxAttempts: 1_000, baseMs: 10, capMs: 100 } })
      .catch(() => null)
    if (submitted !== null) say(submitted.id)
    await sleep(orders.pauseMs)
  }
}

// Several at a time, so that some share a commit.
await Promise.all(Array.from({ length: orders.lanes }, submitOnAndOn))
await stint.close()
