import type { Setup } from '../support/fixture.ts'
import { childrenStorm } from './children-storm.ts'
import { fairnessModel } from './fairness-model.ts'
import { groupRacesContract } from './groups-races.ts'
import { listsModel } from './lists-model.ts'
import { attemptRaces } from './races-attempts.ts'
import { batchContract } from './races-batches.ts'
import { eventRaces } from './races-events.ts'
import { nameRaces } from './races-names.ts'
import { replaceRaces } from './races-replace.ts'

/**
 * What every store promises while many work at the same time, and whatever chance brings. Several stores on one database stand for
 * several processes.
 */
export function concurrencyContract(setup: Setup): void {
  attemptRaces(setup)
  nameRaces(setup)
  replaceRaces(setup)
  eventRaces(setup)
  batchContract(setup)
  childrenStorm(setup)
  groupRacesContract(setup)
  fairnessModel(setup)
  listsModel(setup)
}
