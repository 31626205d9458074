import { describe } from 'vitest'
import { setupSqlite } from '../support/fixture.ts'
import { claimContract } from './claim.ts'
import { eventsContract } from './events.ts'
import { inputsContract } from './inputs.ts'
import { lifecycleContract } from './lifecycle.ts'
import { listContract } from './lists.ts'
import { modelContract } from './model.ts'
import { reportContract } from './reports.ts'
import { workerContract } from './workers.ts'

/**
 * The store that users get runs in a thread, and all that the thread does is carry arguments there and answers back. So it
 * is enough to see that it carries everything: the whole contract runs on the same store in the thread of the tests.
 */
describe('the store in its thread', () => {
  lifecycleContract(setupSqlite)
  modelContract(setupSqlite)
  claimContract(setupSqlite)
  eventsContract(setupSqlite)
  workerContract(setupSqlite)
  reportContract(setupSqlite)
  listContract(setupSqlite)
  inputsContract(setupSqlite)
})
