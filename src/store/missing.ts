import { StintError, show } from '../core/errors.ts'
import type { RecordKind } from './records.ts'

/** What is not there, and what somebody may not see, are answered with the same words. */

export function missingJob(id: string): StintError {
  return new StintError('not_found', `There is no job with the id ${id}.`, { jobId: id })
}

export function missingRecord(kind: RecordKind, ref: unknown): StintError {
  return new StintError('not_found', `There is no ${kind} ${show(ref)}.`, { [kind]: String(ref) })
}
