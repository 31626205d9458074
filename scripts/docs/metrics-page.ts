import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { counters, histograms } from '../../src/engine/metrics.ts'
import { serverMetrics } from '../../src/http/metrics/metrics.ts'
import { code, generatedNote, page, table } from './markdown.ts'

/** The labels of what the server measures. A test compares them with what a server tells. */
const serverLabels: Readonly<Record<string, readonly string[]>> = {
  stint_http_requests: ['call', 'status'],
  stint_http_seconds: ['call'],
  stint_queue_jobs: ['type', 'namespace', 'state'],
  stint_queue_oldest_seconds: ['type', 'namespace'],
  stint_workers: ['state'],
  stint_event_lag_seconds: ['reader'],
  stint_event_held_back_seconds: ['by'],
}

/** The labels with which the engine counts, as they stand where it does. */
function countedLabels(root: string): Readonly<Record<string, readonly string[]>> {
  const texts = globSync('src/engine/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
  const found = texts.flatMap((text) => [...text.matchAll(/\.(?:add|took)\('(stint_\w+)', \{ ([^}]*) \}/g)])
  return Object.fromEntries(found.map(([, name, fields = '']) => [name, fields.split(', ').map(labelOf)]))
}

function labelOf(field: string): string {
  return field.replace(/:.*/, '')
}

/** The labels of a series, by the name under which scrapers find it. */
export function labelsOf(root: string, series: string): readonly string[] {
  const own = { ...countedLabels(root), ...serverLabels }[seriesName(series).replace(/_total$/, '')] ?? []
  return series.endsWith('_bucket') ? [...own, 'le'] : own
}

/** The series that a sample is of: a histogram has several. */
export function seriesName(sample: string): string {
  return sample.replace(/_(?:bucket|sum|count)$/, '')
}

/** The names under which scrapers find what is measured. */
export function seriesNames(): readonly string[] {
  return [...seriesOf(counterFamilies), ...seriesOf(serverFamilies)].map(({ series }) => series)
}

interface Described {
  readonly name: string
  readonly type: string
  readonly help: string
}

const counterFamilies = [
  ...Object.entries(counters).map(([name, help]): Described => ({ name, type: 'counter', help })),
  ...Object.entries(histograms).map(([name, help]): Described => ({ name, type: 'histogram', help })),
]
const serverFamilies = Object.entries(serverMetrics).map(([name, about]): Described => ({ name, ...about }))

function seriesOf(families: readonly Described[]) {
  return families.map((family) => ({ ...family, series: `${family.name}${family.type === 'counter' ? '_total' : ''}` }))
}

function rowsOf(families: readonly Described[], labels: Readonly<Record<string, readonly string[]>>) {
  return seriesOf(families).map(({ name, series, type, help }) => {
    return [code(series), type, (labels[name] ?? []).map(code).join(', '), help]
  })
}

export function metricsPage(root: string): string {
  const head = ['Series', 'Type', 'Labels', 'What it tells']
  return page([
    '# Metrics',
    generatedNote,
    `\`GET /metrics\` on a server returns OpenMetrics text. It needs a key without a path. [Operations](../operations.md#what-to-watch) says which of these to
watch, and [deploy/grafana.json](../../deploy/grafana.json) is a dashboard for them.`,
    '## Of the database and the server',
    'Gauges of queues and workers are read from the database, so every server reports the same values: take their maximum, not their sum.',
    table(head, rowsOf(serverFamilies, serverLabels)),
    '## Of each process',
    `These are counted where they happen, from the start of the process, and \`stint.metrics()\` gives them in every process. What workers do is therefore told by
the processes in which they run: sum over all of them.`,
    table(head, rowsOf(counterFamilies, countedLabels(root))),
  ])
}
