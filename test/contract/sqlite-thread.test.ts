import { describe } from 'vitest'
import { setupSqlite } from '../support/fixture.ts'
import { inputsContract } from './inputs.ts'
import { lifecycleContract } from './lifecycle.ts'
import { workerContract } from './workers.ts'

/**
 * The store that users get runs in a thread, and all that the thread does is carry arguments there and answers back. So it
 * is enough to see that it carries everything: the whole contract runs on the same store in the thread of the tests.
 */
describe('the store in its thread', () => {
  lifecycleContract(setupSqlite)
  workerContract(setupSqlite)
  inputsContract(setupSqlite)
})
