/** Uses a store, watches it, keeps a worker alive with it, and then has nothing more to do. It does not close the store. */
import { randomUUID } from 'node:crypto'
import { openStoreOf, readOrders } from './store-of.ts'

const orders = readOrders()
const store = await openStoreOf(orders)
const workerId = randomUUID()
await store.register({ id: workerId, name: orders.name, leaseMs: 60_000 })
store.watch?.(() => {})
store.heartbeat?.({ workerId, leaseMs: 60_000 }, () => {})
const [result] = await store.submit([{ id: randomUUID(), name: `/test/${orders.name}-x`, type: 'work' }])
console.log(result?.outcome)
