import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The tests of the examples import the package by its name, as users do.
  resolve: {
    alias: [
      { find: /^stint\/testing$/, replacement: join(import.meta.dirname, 'src/testing/index.ts') },
      { find: /^stint\/server$/, replacement: join(import.meta.dirname, 'src/http/index.ts') },
      { find: /^stint\/client$/, replacement: join(import.meta.dirname, 'src/client/index.ts') },
      { find: /^stint$/, replacement: join(import.meta.dirname, 'src/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: ['test/long/**'],
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', 'test/support/store-count-reporter.ts'],
    pool: 'forks',
    // Tests of stores and workers wait on a database, a process or a lease more than they compute: three keep two cores busy.
    maxWorkers: 3,
    // To load the sources takes longer than most files of tests take, and stores on PostgreSQL stay open from one file to the next.
    isolate: false,
    // Not how long a test may take, but when nobody believes any more that it ends: machines are busy at times.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    // Many tests start processes of their own from the sources.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
  },
})
