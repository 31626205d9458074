import type { Setup } from '../support/fixture.ts'
import { attemptRaces } from './races-attempts.ts'
import { batchContract } from './races-batches.ts'
import { eventRaces } from './races-events.ts'
import { nameRaces } from './races-names.ts'
import { replaceRaces } from './races-replace.ts'

/** What holds while many work at the same time. Several stores on one database stand for several processes. */
export function concurrencyContract(setup: Setup): void {
  attemptRaces(setup)
  nameRaces(setup)
  replaceRaces(setup)
  eventRaces(setup)
  batchContract(setup)
}
