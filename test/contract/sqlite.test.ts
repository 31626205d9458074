import { describe } from 'vitest'
import { setupSqliteHere } from '../support/fixture.ts'
import { storeContract } from './store-contract.ts'

describe('store contract: sqlite', () => storeContract(setupSqliteHere))
