import { defineConfig } from 'vitest/config'

/** Soak tests, long simulations and kill tests: too slow for every run, so they have a command of their own. */
export default defineConfig({
  test: {
    include: ['test/long/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20 * 60_000,
    hookTimeout: 60_000,
    passWithNoTests: true,
  },
})
