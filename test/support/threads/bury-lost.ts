/** Looks for lost workers all the time, also while the thread that started it is busy. Tells how many it found when asked. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../../../src/engine/open-store.ts'

const store = await openStore(workerData)
let isAsked = false
parentPort?.once('message', () => {
  isAsked = true
})
parentPort?.postMessage('looking')
let found = 0
while (!isAsked) {
  found += (await store.buryLost()).length
  await sleep(20)
}
await store.close()
parentPort?.postMessage(found)
parentPort?.close()
