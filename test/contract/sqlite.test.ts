import { describe } from 'vitest'
import { setupSqlite } from '../support/fixture.ts'
import { storeContract } from './store-contract.ts'

describe('store contract: sqlite', () => storeContract(setupSqlite))
