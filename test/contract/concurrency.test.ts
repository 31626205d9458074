import { describe } from 'vitest'
import { setupPostgres, setupSqliteHere } from '../support/fixture.ts'
import { concurrencyContract } from './concurrency.ts'

/** Too long for every run: `npm run test:races`. */
describe('store contract: sqlite, at the same time', () => concurrencyContract(setupSqliteHere))
describe('store contract: postgres, at the same time', () => concurrencyContract(setupPostgres))
