import type { ClientBase } from 'pg'
import { type AuditedGroupRow, type AuditedShardedRow, type AuditRows, auditPage, type SeatRowOfJob } from '../audit.ts'
import type { EventRow } from '../event-row.ts'
import type { RunRow } from '../run-row.ts'
import type { AuditPage, AuditRequest, StraySeat } from '../store.ts'
import { jobRowsByKey } from './load-jobs.ts'
import type { Statements } from './statements.ts'

/** A page of jobs and groups with all that belongs to them, read at one instant. */
export async function audit(client: ClientBase, sql: Statements, position: AuditRequest): Promise<AuditPage> {
  const { after, limit } = position
  const keys = await sql.run<{ pk: number }>(client, 'auditedKeysAfter', { after, limit })
  const pks = keys.map(({ pk }) => pk)
  const of = <Row>(name: string) => sql.run<Row>(client, name, { pks })
  const rows: AuditRows = {
    pks,
    jobs: await jobRowsByKey(client, sql, pks),
    groups: await of<AuditedGroupRow>('groupsAudited'),
    sharded: await of<AuditedShardedRow>('shardedAudited'),
    events: await of<EventRow>('eventsOfJobs'),
    runs: await of<RunRow>('runsOfJobs'),
    seats: await of<SeatRowOfJob>('seatsOf'),
    waits: await of<AuditRows['waits'][number]>('openWaitsOf'),
    deadlines: await of<AuditRows['deadlines'][number]>('deadlinesOf'),
    handles: await of<AuditRows['handles'][number]>('handlesOf'),
    strays: pks.length < limit ? await strays(client, sql) : [],
  }
  return auditPage(rows, limit)
}

async function strays(client: ClientBase, sql: Statements): Promise<readonly StraySeat[]> {
  const found: StraySeat[] = []
  for (const name of ['straySeats', 'strayHandles', 'strayMembers'])
    found.push(...(await sql.run<StraySeat>(client, name)))
  return found
}
