import { afterAll, beforeAll, describe } from 'vitest'
import { jobsSuite } from './jobs.ts'
import { pagesSuite } from './pages.ts'
import { closeFixture, openFixture } from './setup.ts'

/** One server with the demo data and one browser for all of them: each suite opens pages of its own. */
describe('the dashboard', () => {
  beforeAll(openFixture, 120_000)
  afterAll(closeFixture)

  describe('every page', pagesSuite)
  describe('jobs', jobsSuite)
})
