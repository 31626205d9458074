import type { Reporter, TestCase, TestModule, TestRunEndReason, TestSpecification, Vitest } from 'vitest/node'

const stores = [
  { suite: 'store contract: sqlite', label: 'SQLite' },
  { suite: 'store contract: postgres', label: 'PostgreSQL' },
] as const

/**
 * Says at the end of the run how many tests of the store contract ran on each store, and fails a full run in which a
 * store was left out: a suite that quietly skips one of them would look just as green.
 */
export default class StoreCountReporter implements Reporter {
  private vitest: Vitest | undefined
  private isFullRun = false

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  async onTestRunStart(chosen: readonly TestSpecification[]): Promise<void> {
    const { vitest } = this
    if (!vitest) return
    const { shard, tagsFilter } = vitest.config
    const isNarrowed = vitest.getGlobalTestNamePattern() !== undefined || shard !== undefined || !!tagsFilter?.length
    const all = await vitest.globTestSpecifications()
    this.isFullRun = !isNarrowed && chosen.length === all.length
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const counts = stores.map(({ suite, label }) => ({
      label,
      ...count(tests.filter((test) => isInside(test, suite))),
    }))
    if (!this.isFullRun && counts.every(({ ran, skipped }) => ran + skipped === 0)) return

    const shown = counts.map(({ label, ran }, i) => (i === 0 ? `${ran} tests on ${label}` : `${ran} on ${label}`))
    const version = this.vitest?.getProvidedContext().postgresVersion
    console.log(`\nStore contract: ${shown.join(', ')} (PostgreSQL ${version ?? 'did not start'})`)

    if (!this.isFullRun || reason === 'interrupted') return
    for (const { label, ran, skipped } of counts) {
      if (ran === 0) fail(`no test of the store contract ran on ${label}.`)
      if (skipped > 0) fail(`${skipped} tests of the store contract were skipped on ${label}.`)
    }
  }
}

function isInside(test: TestCase, suite: string): boolean {
  for (let at = test.parent; at.type === 'suite'; at = at.parent) if (at.name.startsWith(suite)) return true
  return false
}

function count(tests: readonly TestCase[]): { ran: number; skipped: number } {
  const skipped = tests.filter((test) => test.result().state === 'skipped').length
  return { ran: tests.length - skipped, skipped }
}

function fail(message: string): void {
  console.error(`Store contract FAILED: ${message}`)
  process.exitCode = 1
}
