import { afterAll, beforeAll, describe } from 'vitest'
import { accessSuite } from './access.ts'
import { jobSuite } from './job.ts'
import { jobsSuite } from './jobs.ts'
import { keyboardSuite } from './keyboard.ts'
import { pagesSuite } from './pages.ts'
import { planSuite } from './plan.ts'
import { runSuite } from './run.ts'
import { closeFixture, openFixture } from './setup.ts'
import { statesSuite } from './states.ts'
import { textsSuite } from './texts.ts'
import { treeSuite } from './tree.ts'

/** One server with the demo data and one browser for all of them: each suite opens pages of its own. */
describe('the dashboard', () => {
  beforeAll(openFixture, 120_000)
  afterAll(closeFixture)

  describe('every page', pagesSuite)
  describe('jobs', jobsSuite)
  describe('a job', jobSuite)
  describe('the tree', treeSuite)
  describe('schedules, templates, groups and slots', planSuite)
  describe('limits, webhooks, keys and workers', runSuite)
  describe('access', accessSuite)
  describe('the keyboard', keyboardSuite)
  describe('how pages stand', statesSuite)
  describe('texts of users', textsSuite)
})
