import { defineConfig } from 'vitest/config'

/** The tests of the core alone reach every branch of it. Measuring that slows everything down, so nothing else is measured. */
export default defineConfig({
  test: {
    include: ['test/core/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 180_000,
    coverage: {
      provider: 'v8',
      include: ['src/core/**'],
      // The core decides what happens to jobs and does nothing else, so there is no excuse for a branch nobody tried.
      thresholds: { branches: 100, lines: 100, functions: 100, statements: 100 },
      reporter: [['text', { skipFull: true }], 'text-summary'],
    },
  },
})
