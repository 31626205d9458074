import { describe } from 'vitest'
import { setupPostgres } from '../support/fixture.ts'
import { storeContract } from './store-contract.ts'

describe('store contract: postgres', () => storeContract(setupPostgres))
