/**
 * Opens one new database after the other, each at a moment that its siblings know too: so that several processes make the
 * same file into a database at the same time.
 */
import { openSqliteStoreHere } from '../../../src/store/sqlite/sqlite-store.ts'
import { readOrders } from './store-of.ts'

const { database, name, count, startAt = 0 } = readOrders()
if (!('file' in database)) throw new Error('Only files are made by opening them.')
const apartMs = 40
for (let i = 0; i < count; i++) {
  // Spinning, and opening in this thread: a timer, or the start of a thread, would spread the siblings over milliseconds.
  while (Date.now() < startAt + i * apartMs);
  const store = await openSqliteStoreHere({ file: `${database.file}-${i}` })
  await store.append([{ namespace: 'test', source: name, id: 'opened', type: 'opened' }])
  await store.close()
}
