/** The dashboard for Grafana, from a list of panels: what is asked, and how it is shown. */

interface Panel {
  readonly title: string
  readonly words: string
  readonly unit: 'short' | 's' | 'ms' | 'bytes' | 'ops'
  readonly kind: 'stat' | 'timeseries'
  /** Expressions of PromQL by what their lines are called. */
  readonly queries: Readonly<Record<string, string>>
}

const panels: readonly Panel[] = [
  {
    title: 'Live workers',
    words: 'None: nothing runs.',
    unit: 'short',
    kind: 'stat',
    queries: { live: 'max(stint_workers{state="live"})' },
  },
  {
    title: 'Oldest ready job',
    words: 'How long it has been waiting for a worker.',
    unit: 's',
    kind: 'stat',
    queries: { oldest: 'max(stint_queue_oldest_seconds) or vector(0)' },
  },
  {
    title: 'Ready jobs',
    words: 'What could start now.',
    unit: 'short',
    kind: 'stat',
    queries: { ready: 'sum(max by (type, namespace) (stint_queue_jobs{state="ready"}))' },
  },
  {
    title: 'Running jobs',
    words: 'What workers have.',
    unit: 'short',
    kind: 'stat',
    queries: { running: 'sum(max by (type, namespace) (stint_queue_jobs{state="running"}))' },
  },
  {
    title: 'Jobs by where they stand',
    words: 'Ready, delayed, held back by a gate, running.',
    unit: 'short',
    kind: 'timeseries',
    queries: { '{{state}}': 'sum by (state) (max by (type, namespace, state) (stint_queue_jobs))' },
  },
  {
    title: 'Oldest ready job by type',
    words: 'A type that only grows has too few workers, or none that knows it.',
    unit: 's',
    kind: 'timeseries',
    queries: { '{{type}}': 'max by (type) (stint_queue_oldest_seconds)' },
  },
  {
    title: 'Attempts ended',
    words: 'By how they ended.',
    unit: 'ops',
    kind: 'timeseries',
    queries: { '{{how}}': 'sum by (how) (rate(stint_attempts_ended_total[$__rate_interval]))' },
  },
  {
    title: 'Submitted and claimed',
    words: 'What comes in, and what workers take.',
    unit: 'ops',
    kind: 'timeseries',
    queries: {
      submitted: 'sum(rate(stint_jobs_submitted_total[$__rate_interval]))',
      claimed: 'sum(rate(stint_jobs_claimed_total[$__rate_interval]))',
    },
  },
  {
    title: 'Failed attempts by type',
    words: '',
    unit: 'ops',
    kind: 'timeseries',
    queries: { '{{type}}': 'sum by (type) (rate(stint_attempts_ended_total{how="failed"}[$__rate_interval]))' },
  },
  {
    title: 'Time of an attempt',
    words: 'Nineteen of twenty take less, by type.',
    unit: 's',
    kind: 'timeseries',
    queries: {
      '{{type}}': 'histogram_quantile(0.95, sum by (type, le) (rate(stint_run_seconds_bucket[$__rate_interval])))',
    },
  },
  {
    title: 'Lost and rescued',
    words: 'Workers that died, leases that ran out, attempts that were taken over, handlers that did not stop.',
    unit: 'short',
    kind: 'timeseries',
    queries: {
      'workers lost': 'sum(increase(stint_workers_lost_total[$__rate_interval]))',
      'leases lost': 'sum(increase(stint_leases_lost_total[$__rate_interval]))',
      'attempts rescued': 'sum(increase(stint_attempts_rescued_total[$__rate_interval]))',
      'handlers abandoned': 'sum(increase(stint_attempts_abandoned_total[$__rate_interval]))',
    },
  },
  {
    title: 'Errors of the database and of upkeep',
    words: '',
    unit: 'ops',
    kind: 'timeseries',
    queries: {
      '{{doing}}': 'sum by (doing) (rate(stint_store_errors_total[$__rate_interval]))',
      '{{service}}': 'sum by (service) (rate(stint_upkeep_errors_total[$__rate_interval]))',
    },
  },
  {
    title: 'Requests',
    words: 'Answered by the API, by status.',
    unit: 'ops',
    kind: 'timeseries',
    queries: { '{{status}}': 'sum by (status) (rate(stint_http_requests_total[$__rate_interval]))' },
  },
  {
    title: 'Time of a request',
    words: 'Nineteen of twenty take less, by call. Calls that wait for something take as long as that.',
    unit: 's',
    kind: 'timeseries',
    queries: {
      '{{call}}': 'histogram_quantile(0.95, sum by (call, le) (rate(stint_http_seconds_bucket[$__rate_interval])))',
    },
  },
  {
    title: 'Event loop delay',
    words: 'How late a process was at the most. Above a second a handler blocks it.',
    unit: 's',
    kind: 'timeseries',
    queries: { '{{instance}}': 'stint_event_loop_delay_seconds' },
  },
  {
    title: 'Memory',
    words: 'Of each process.',
    unit: 'bytes',
    kind: 'timeseries',
    queries: { '{{instance}}': 'stint_resident_bytes' },
  },
]

// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana puts the data source there.
const source = { type: 'prometheus', uid: '${datasource}' }

export function grafanaDashboard(): string {
  const stats = panels.filter(({ kind }) => kind === 'stat')
  const series = panels.filter(({ kind }) => kind === 'timeseries')
  const dashboard = {
    title: 'Stint',
    uid: 'stint',
    tags: ['stint'],
    schemaVersion: 39,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }] },
    panels: [
      ...stats.map((panel, i) => panelJson(panel, i, { x: i * 6, y: 0, w: 6, h: 4 })),
      ...series.map((panel, i) => {
        const place = { x: (i % 2) * 12, y: 4 + Math.floor(i / 2) * 8, w: 12, h: 8 }
        return panelJson(panel, stats.length + i, place)
      }),
    ],
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

function panelJson({ title, words, unit, kind, queries }: Panel, i: number, gridPos: object): object {
  return {
    id: i + 1,
    title,
    description: words,
    type: kind,
    gridPos,
    datasource: source,
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(queries).map(([legendFormat, expr], nth) => {
      return { refId: String.fromCharCode(65 + nth), expr, legendFormat, datasource: source }
    }),
  }
}
