import { type CatalogueType, catalogue } from '../../src/core/job/events.ts'
import { elapsesAt } from '../../src/core/job/job.ts'
import type { ModelData } from './model-data.ts'

type Row = Record<string, unknown>

/**
 * The few questions that the contract asks in SQL behind the store's back: how many rows a table has. Null for every other
 * statement, because the model has no tables that could be changed or looked into.
 */
export function countRows(data: ModelData, sql: string): readonly Row[] | null {
  const [, what, table = '', codes] = /^select (count\(\*\) as n|1|\*) from (\w+)(?: where code (.+))?$/.exec(sql) ?? []
  const count = rowsOf(data, table, codes?.match(/\d+/g)?.map(Number) ?? null)
  if (what === undefined || count === null) return null
  return what === 'count(*) as n' ? [{ n: count }] : Array.from({ length: count }, () => ({ '1': 1 }))
}

function rowsOf(data: ModelData, table: string, codes: readonly number[] | null): number | null {
  const inPhase = (phase: string) => data.jobs.values().filter(({ job }) => job.phase === phase).length
  switch (table) {
    case 'jobs':
      return data.jobs.size
    case 'ready':
      return data.ready.size
    case 'delayed':
      return inPhase('queued') - data.ready.size
    case 'claims':
      return inPhase('running')
    case 'runs':
      return data.runs.values().flat().length
    case 'waits':
      return data.waits.values().flat().length
    case 'needs':
      return data.needs.values().flat().length
    case 'follow_ups':
      return data.followUps.size
    case 'workers':
      return data.workers.size
    case 'deadlines':
      return data.jobs.values().filter(({ job }) => elapsesAt(job) !== null).length
    case 'progress':
      return data.progress.size
    case 'checkpoints':
      return data.checkpoints.size
    case 'answers':
      return data.answers.size
    case 'endpoints':
      return data.endpoints.size
    case 'run_logs':
      return data.lines.size
    case 'past_jobs':
      return data.pasts.size
    case 'stretches':
      return data.stretches.size
    case 'event_keys':
      return data.eventKeys.size
    case 'events':
      return data.log.values().filter(({ entry }) => codes === null || codes.includes(codeOf(entry.eventType))).length
    default:
      return null
  }
}

function codeOf(eventType: string): number {
  return Object.hasOwn(catalogue, eventType) ? catalogue[eventType as CatalogueType] : 0
}
