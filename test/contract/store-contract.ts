import type { Setup } from '../support/fixture.ts'
import { lifecycleContract } from './lifecycle.ts'

/** What every store promises. The same tests, unchanged, run on each. */
export function storeContract(setup: Setup): void {
  lifecycleContract(setup)
}
