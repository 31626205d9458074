import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { docs, names, rendered, withSection } from '../../bench/report/documents.ts'
import { showGrowth } from '../../bench/report/growth.ts'
import { drawPeers, peerChecks, resultOf, showPeers } from '../../bench/report/peers.ts'
import { lineChart } from '../../bench/report/plot.ts'
import { ratiosOf } from '../../bench/report/ratios.ts'
import { shardsChecks, shardsResult, showShards } from '../../bench/report/shards.ts'
import { median, percentile } from '../../bench/report/statistics.ts'
import { checkTable, rounded, table } from '../../bench/report/table.ts'

/** No peer is needed, and nothing is measured: the numbers are given. */

const conditions = { date: '2026-01-01', machine: 'two cores', software: 'Node', rounds: 3, workload: '100 jobs' }

function result(system: string, store: 'postgres' | 'sqlite', drains: readonly number[]) {
  const contestant = { system, store, module: '', settings: {}, conditions: 'as it comes', latency: 'pick-up' } as const
  return resultOf(
    contestant,
    drains.map((drainPerS) => ({
      enqueuePerS: 2 * drainPerS,
      drainPerS,
      latenciesMs: [1, 2, 30],
      otherLatenciesMs: [],
      loopDelayP99Ms: 12,
    })),
  )
}

describe('statistics', () => {
  test.for([
    [[5], 5],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
  ] as const)('the median of %j is %d', ([values, expected]) => {
    expect(median(values)).toBe(expected)
  })

  test('a percentile is one of the values, and null when there are none', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i)
    expect([percentile(values, 50), percentile(values, 99), percentile(values, 100)]).toEqual([50, 99, 100])
    expect(percentile([7], 99)).toBe(7)
    expect(percentile([], 50)).toBeNull()
  })
})

describe('the comparison with peers', () => {
  const results = [
    result('stint', 'postgres', [26_000, 20_000, 39_000]),
    result('graphile-worker, fastest', 'postgres', [20_000, 10_000, 25_000]),
    result('stint', 'sqlite', [30_000, 30_000, 30_000]),
    result('plainjob', 'sqlite', [10_000, 10_000, 10_000]),
  ]
  const document = { conditions, results, ratios: ratiosOf(results), skipped: ['bullmq was skipped'] }

  test('medians, their spread and percentiles of all rounds', () => {
    expect(results[0]).toMatchObject({ drainPerS: 26_000, drainSpreadPerS: [20_000, 39_000], enqueuePerS: 52_000 })
    expect(results[0]).toMatchObject({ latencyP50Ms: 2, latencyP99Ms: 30, otherLatencyP50Ms: null })
  })

  test('ratios of what was measured, and of nothing else', () => {
    expect(document.ratios).toEqual({
      drainPostgresToGraphileWorkerFastest: 1.3,
      drainSqliteToPlainjob: 3,
      enqueuePostgresToGraphileWorker: 1.3,
    })
  })

  test('every aim is shown, and whether it is met', () => {
    const lines = checkTable(peerChecks(document)).split('\n')
    const cells = lines.slice(2).map((line) => line.split('|').map((cell) => cell.trim()))
    expect(cells.map(([, , measured, aim, isMet]) => [measured, aim, isMet])).toEqual([
      ['1.30 ×', '≥ 1.3', 'yes'],
      ['3.00 ×', '≥ 3.5', 'no'],
      ['1.30 ×', '–', '–'],
      ['12.0 ms', '≤ 10', 'no'],
    ])
  })

  test('what is printed names every system, its configuration, and what was left out', () => {
    const text = showPeers(document)
    for (const part of ['plainjob', '26,000', '20,000 – 39,000', 'as it comes', 'bullmq was skipped', 'two cores']) {
      expect(text).toContain(part)
    }
  })

  test('the plot has a bar for each system', () => {
    const plot = drawPeers(document)
    expect(plot.match(/<rect /g)).toHaveLength(4)
    expect(plot).toContain('graphile-worker, fastest (postgres)')
    expect(plot).not.toMatch(/NaN|undefined/)
  })
})

test('growth is shown against the empty database and against nothing in the way', () => {
  const grown = (finished: number, drainPerS: number) => ({
    ...{ store: 'sqlite' as const, finished, drainPerS },
    latencyP50Ms: 1,
  })
  const drained = (burden: string, drainPerS: number) => ({
    ...{ system: 'stint', store: 'postgres' as const, burden, drainPerS },
  })
  const text = showGrowth({
    conditions,
    history: [grown(0, 10_000), grown(1_000_000, 9_000)],
    waiting: [drained('nothing', 10_000), drained('a transaction held open', 6_000)],
  })
  expect(text).toMatch(/with 1,000,000 finished jobs : with 0 +\| +0\.90 × \| ≥ 0\.85 \| yes/)
  expect(text).toMatch(/with a transaction held open : without +\| +0\.60 × \| +≥ 0\.7 \| +no/)
})

test('sharded jobs are shown beside plain ones, and only what was measured is compared', () => {
  const rounds = [{ plainPerS: 8_000 }, { plainPerS: 10_000 }, { plainPerS: 12_000 }, { shardsPerS: 4_000 }]
  const result = shardsResult('sqlite', [...rounds, { pickUpMs: 2 }, { stepMs: 3 }])
  expect(result).toEqual({ store: 'sqlite', plainPerS: 10_000, shardsPerS: 4_000, pickUpMs: 2, stepMs: 3 })
  const sizes = { slices: '100 shards × 10 slices', beside: '10 tasks', chain: 'a chain of 10 jobs' }
  const document = { conditions, sizes, widths: [1_000, 64] as const, results: [result] }
  expect(shardsChecks(document, result).map(({ value }) => value)).toEqual([0.4, 1.5])
  const text = showShards(document)
  expect(text).toMatch(/shards, width 1,000 : plain jobs +\| +0\.40 × \| +≥ 0\.5 \| +no/)
  expect(text).toMatch(/a step of the chain : pick-up on an idle worker +\| +1\.50 × \| +≤ 2 \| +yes/)
  expect(text).toMatch(/the same, last tenth +\| +– \|/)
})

test('tables are Markdown whose columns stand below each other', () => {
  expect(
    table(
      ['a', 'number'],
      [
        ['one', '1'],
        ['three', '12,300'],
      ],
    ),
  ).toBe(['| a     | number |', '| ----- | -----: |', '| one   |      1 |', '| three | 12,300 |'].join('\n'))
})

test('numbers keep three digits', () => {
  expect([0, 7, 123, 1_234, 98_765, null].map(rounded)).toEqual(['0', '7', '123', '1,230', '98,800', '–'])
})

test('lines are drawn from zero, and their labels do not cover each other', () => {
  const lines = [1, 2, 3].map((n) => ({ label: `<${n}>`, kind: 'peer' as const, values: [10, 20] }))
  const plot = lineChart({ title: 'a & b', axis: 'x', points: ['1', '2'], lines })
  const places = [...plot.matchAll(/y="([\d.]+)">&lt;\d&gt;/g)].map(([, y]) => Number(y))
  expect(new Set(places).size).toBe(3)
  expect(plot).toContain('a &amp; b')
  expect(plot).not.toMatch(/NaN|undefined/)
})

test('a section of the page is replaced, and only that', () => {
  const page = 'before\n<!-- begin x -->\nold\n<!-- end x -->\nafter\n'
  const written = withSection(page, 'x', 'new')
  expect(written).toBe('before\n<!-- begin x -->\n\nnew\n\n<!-- end x -->\nafter\n')
  expect(withSection(written, 'x', 'new')).toBe(written)
  expect(() => withSection(page, 'y', 'new')).toThrow('no marks for y')
})

test.for(names)('tables and plots of the docs are those of the JSON beside them: %s', (name) => {
  for (const [path, text] of rendered(name)) expect(readFileSync(join(docs, path), 'utf8')).toBe(text)
})
