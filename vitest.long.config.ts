import { defineConfig } from 'vitest/config'

/** Soak tests, long simulations and kill tests: too slow for every run, so they have a command of their own. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts', 'test/core/job/laws*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20 * 60_000,
    hookTimeout: 60_000,
    env: { STINT_LAW_RUNS: '5000' },
    passWithNoTests: true,
  },
})
