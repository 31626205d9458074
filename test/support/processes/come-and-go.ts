/** Opens the store, does a little, closes it, and again: the first to open and the last to close do special things. */
import { randomUUID } from 'node:crypto'
import { openStoreOf, readOrders } from './store-of.ts'

const orders = readOrders()
for (let i = 0; i < orders.count; i++) {
  const store = await openStoreOf(orders)
  const id = randomUUID()
  const [result] = await store.submit([{ id, name: `/test/${orders.name}-${i}-x`, type: 'work' }])
  if (result?.outcome !== 'created') throw new Error(`Not created: ${JSON.stringify(result)}`)
  const [found] = await store.find([{ id }])
  if (found?.job.id !== id) throw new Error('What was submitted is not there.')
  await store.close()
}
