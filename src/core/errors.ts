/**
 * Every error that Stint gives to a caller has a code from this table. Codes are stable: programs branch on them, so a
 * code is never renamed and never changes its meaning. `docs/errors.md` lists the same table; a test holds them equal.
 */
export const errorCodes = {
  invalid_name: { status: 400, retryable: false, means: 'A job name breaks a rule of names.' },
  invalid_id: { status: 400, retryable: false, means: 'The text is not an id of the expected kind.' },
  invalid_argument: { status: 400, retryable: false, means: 'A field of the request has a value that is not allowed.' },
  invalid_json: { status: 400, retryable: false, means: 'A value cannot be stored the same way on every store.' },
  payload_too_large: {
    status: 413,
    retryable: false,
    means: 'Params, a result or attributes are larger than the limit.',
  },
  invalid_schedule: { status: 400, retryable: false, means: 'The times of a schedule break a rule of schedules.' },
  reserved_event_type: { status: 400, retryable: false, means: 'Outside events cannot use a type of the catalogue.' },
  malformed_body: {
    status: 400,
    retryable: false,
    means: 'The body of a request is not JSON, or not what was announced.',
  },
  unauthorized: { status: 401, retryable: false, means: 'No key was given, or none that is known and in force.' },
  forbidden: { status: 403, retryable: false, means: 'The key does not allow this.' },
  not_found: { status: 404, retryable: false, means: 'There is nothing with this id.' },
  method_not_allowed: {
    status: 405,
    retryable: false,
    means: 'There is something at this address, but not for this method.',
  },
  path_taken: { status: 409, retryable: false, means: 'Another template, schedule, group or slot has this path.' },
  template_archived: { status: 409, retryable: false, means: 'The template is archived: no new job is made of it.' },
  group_sealed: { status: 409, retryable: false, means: 'The group is sealed: no job can be added to it.' },
  in_other_group: {
    status: 409,
    retryable: false,
    means: 'The live job that has the name or key is not a member of this group.',
  },
  slot_filled: { status: 409, retryable: false, means: 'The slot has another value already.' },
  slot_closed: {
    status: 409,
    retryable: false,
    means: 'The slot will never have a value: what made it has failed, or somebody said so.',
  },
  cycle: { status: 400, retryable: false, means: 'The job would wait for its own end, by way of what it needs.' },
  name_taken: { status: 409, retryable: false, means: 'Another job that is not final has this name.' },
  key_taken: { status: 409, retryable: false, means: 'Another job that is not final has this type and key.' },
  id_taken: { status: 409, retryable: false, means: 'A job or a worker with this id exists already.' },
  endpoint_taken: { status: 409, retryable: false, means: 'Another attempt that is open has this endpoint.' },
  illegal_transition: { status: 409, retryable: false, means: 'The state of the job does not allow this move.' },
  not_started: { status: 409, retryable: false, means: 'The job has not been started, so it cannot be answered yet.' },
  already_dispatched: {
    status: 409,
    retryable: false,
    means: 'The job was dispatched, so it can no longer be edited.',
  },
  stale_token: { status: 409, retryable: false, means: 'The attempt lost the job; what it writes is refused.' },
  worker_lost: {
    status: 409,
    retryable: false,
    means: 'The worker was found lost: it holds nothing any more. It goes on under a new id.',
  },
  stale_slice: { status: 409, retryable: false, means: 'The slice is not the next one of its task; it is refused.' },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    means: 'A request with the same Idempotency-Key is being answered at this moment.',
  },
  idempotency_mismatch: {
    status: 422,
    retryable: false,
    means: 'The Idempotency-Key was used for another request before.',
  },
  unsupported_media_type: {
    status: 415,
    retryable: false,
    means: 'The body is of a media type that is not taken here.',
  },
  too_many_requests: { status: 429, retryable: true, means: 'More requests than are allowed within a time.' },
  invalid_params: { status: 400, retryable: false, means: 'The params do not fit the schema of the job.' },
  job_failed: { status: 409, retryable: false, means: 'The job whose result was awaited has failed.' },
  job_cancelled: { status: 409, retryable: false, means: 'The job whose result was awaited was cancelled.' },
  job_skipped: { status: 409, retryable: false, means: 'The job whose result was awaited was skipped.' },
  wait_timeout: { status: 504, retryable: true, means: 'The job had not ended within the time to wait.' },
  conflict: { status: 409, retryable: true, means: 'The job changed at the same time, again and again.' },
  version_gap: { status: 500, retryable: false, means: 'An event is missing between the state and the next event.' },
  schema_newer: { status: 500, retryable: false, means: 'The database was migrated by a newer version of Stint.' },
  schema_changed: {
    status: 500,
    retryable: false,
    means: 'An applied migration differs from the one in this version.',
  },
  unsupported_store: { status: 500, retryable: false, means: 'The database or its version cannot hold Stint.' },
  internal_error: { status: 500, retryable: false, means: 'Something that should not happen; please report it.' },
  store_busy: { status: 503, retryable: true, means: 'The database was locked by others for too long.' },
  unreachable: { status: 503, retryable: true, means: 'The server cannot be reached.' },
  store_closed: { status: 503, retryable: false, means: 'The store was closed.' },
  segment_damaged: {
    status: 500,
    retryable: false,
    means: 'The file of an archived part of the log is not what was written.',
  },
  command_not_started: { status: 500, retryable: false, means: 'The program of a command could not be started.' },
} as const satisfies Record<string, { status: number; retryable: boolean; means: string }>

export type ErrorCode = keyof typeof errorCodes

/** What a code says about: the field, the input, the rule, ids. Plain data, safe to send over a wire. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>

export class StintError extends Error {
  override readonly name = 'StintError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message)
    this.code = code
    this.details = details
  }

  get status(): number {
    return errorCodes[this.code].status
  }

  get retryable(): boolean {
    return errorCodes[this.code].retryable
  }
}

const shownMax = 80

/** Input as it may stand in a message: quoted, control characters escaped, bounded. */
export function show(input: unknown): string {
  if (typeof input === 'string') return bounded(JSON.stringify(input), input.length)
  if (input === null || input === undefined) return String(input)
  if (typeof input === 'object') return Array.isArray(input) ? 'an array' : 'an object'
  return typeof input === 'function' ? 'a function' : String(input)
}

function bounded(quoted: string, length: number): string {
  return quoted.length <= shownMax ? quoted : `${quoted.slice(0, shownMax)}…" (${length} characters)`
}
