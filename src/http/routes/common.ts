import { z } from 'zod'
import { StintError } from '../../core/errors.ts'
import type { RecordsQuery } from '../../engine/record-pages.ts'
import type { Stint } from '../../engine/stint.ts'
import { missingRecord } from '../../store/missing.ts'
import type { RecordKind } from '../../store/records.ts'
import { flag, pageQuery, path, waitMax, wholeNumber } from '../schemas/common.ts'

/** What routes of many kinds have in common. */

/** The job that a route is about. */
export const jobParam = z.strictObject({
  job: z.string().min(1).max(1_200).meta({ description: 'A JobRunId, its UUID, or the id of a task.' }),
})

export const waitMs = wholeNumber(0, waitMax).optional()

const endCodes: ReadonlySet<string> = new Set(['job_failed', 'job_cancelled', 'job_skipped', 'wait_timeout'])

/** Waits for an end, or for the time that is given to it. However it ended is told by what has ended itself. */
export async function untilOver(end: Promise<unknown>): Promise<void> {
  try {
    await end
  } catch (error) {
    if (!(error instanceof StintError) || !endCodes.has(error.code)) throw error
  }
}

/** Which records of a kind to list. */
export const recordsQuery = z.strictObject({
  path: path.optional().meta({ description: 'Only at this path or below.' }),
  all: flag.optional().meta({ description: 'Those that are archived, deleted or over, too. Default false.' }),
  ...pageQuery,
})

/** The same for kinds of which nothing stays. */
export const pathsQuery = recordsQuery.omit({ all: true })

/** As the library takes it. */
export function recordsOf(stint: Stint, query: z.output<typeof recordsQuery>): RecordsQuery {
  const { path: at, ...rest } = defined(query)
  return { ...rest, ...(at === undefined ? {} : { path: stint.resolve(at) }) }
}

/** What was looked for, or the error for what is not there. */
export function found<Found>(kind: RecordKind, ref: string, row: Found | null): Found {
  if (row === null) throw missingRecord(kind, ref)
  return row
}

/** Without what was not sent: to the library, a field that is undefined is not always one that is absent. */
export function defined<Fields extends object>(fields: Fields): { [N in keyof Fields]: Exclude<Fields[N], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
