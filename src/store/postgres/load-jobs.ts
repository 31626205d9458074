import { type JobRow, storedJob } from '../job-row.ts'
import type { QueryClient, StoredJob } from '../store.ts'
import type { Statements } from './statements.ts'

/** In the order of their keys, as are those below. */
export function jobRowsByKey(client: QueryClient, sql: Statements, pks: readonly number[]): Promise<readonly JobRow[]> {
  return pks.length === 0 ? Promise.resolve([]) : sql.run<JobRow>(client, 'jobsFound', { ids: [], pks })
}

export async function jobsByKey(
  client: QueryClient,
  sql: Statements,
  pks: readonly number[],
): Promise<readonly StoredJob[]> {
  return (await jobRowsByKey(client, sql, pks)).map(storedJob)
}

export async function jobsById(
  client: QueryClient,
  sql: Statements,
  ids: readonly string[],
): Promise<readonly StoredJob[]> {
  if (ids.length === 0) return []
  return (await sql.run<JobRow>(client, 'jobsFound', { ids, pks: [] })).map(storedJob)
}
