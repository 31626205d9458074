import { expect } from 'vitest'
import { JobRunId } from '../../../src/core/names/ids.ts'
import { JobName } from '../../../src/core/names/job-name.ts'
import type { AuditedJob } from '../../../src/store/store.ts'
import type { Place } from './place.ts'

/** Waits until every job of the database is over, and gives all that is stored of them. */
export async function untilAllEnded({ stint }: Place): Promise<readonly AuditedJob[]> {
  const { jobs } = await stint.store.audit({ after: null, limit: 10_000 })
  // How a job ended is looked at later; here it matters that it did.
  await Promise.all(jobs.map(({ stored }) => stint.jobs.result(stored.job.id).catch(() => null)))
  return (await stint.store.audit({ after: null, limit: 10_000 })).jobs
}

/**
 * What holds after any fault: jobs agree with their events, no seat is left, and no attempt ran twice. A job that has
 * completed did so in one run, its last, which a handler really began.
 */
export async function expectSound(place: Place, jobs: readonly AuditedJob[]): Promise<void> {
  expect((await place.stint.verify()).differences).toEqual([])
  const executions = place.executions()
  const begun = new Set(executions)
  expect(executions).toHaveLength(begun.size)
  for (const { stored, runs, seats } of jobs) {
    const { job } = stored
    expect({ state: job.state, seats }).toEqual({ state: 'final', seats: [] })
    expect(runs.map(({ attempt }) => attempt)).toEqual(Array.from({ length: job.attempt }, (_, i) => i + 1))
    expect(runs.slice(0, -1).map(({ status }) => status)).not.toContain('COMPLETED')
    expect(runs.at(-1)?.status).toBe(job.outcome)
    if (job.outcome === 'COMPLETED') expect(begun).toContain(`${idOf(job.id, job.name)} ${job.attempt}`)
  }
}

function idOf(id: string, name: string): string {
  const { namespace } = JobName.parse(name)
  return new JobRunId({ project: 'stint', database: null, namespace, name: id }).encode()
}

/** Why attempts did not complete, each reason once. */
export function reasonsOf(jobs: readonly AuditedJob[]): readonly (string | null)[] {
  return [...new Set(jobs.flatMap(({ runs }) => runs.map(({ reason }) => reason)))].filter((reason) => reason !== null)
}

export function outcomesOf(jobs: readonly AuditedJob[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...Map.groupBy(jobs, ({ stored }) => `${stored.job.outcome}`)].map(([outcome, all]) => [outcome, all.length]),
  )
}

export function chargedOf(jobs: readonly AuditedJob[]): number {
  return jobs.reduce((sum, { stored }) => sum + stored.job.charged, 0)
}
