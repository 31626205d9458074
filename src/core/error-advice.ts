import type { ErrorCode } from './errors.ts'

/**
 * What to do about each code, for the page of errors and for whoever shows one to a person. It is apart from the table of codes because
 * nobody who handles an error needs it.
 */
export const errorAdvice: Readonly<Record<ErrorCode, string>> = {
  invalid_name:
    'Read `rule` in the details. A name begins with `/`, has no empty component, at most 16 of them, 128 bytes each and 1,000 in all; the first consists of `A–Z a–z 0–9 . _ ~ -`, and no part of a job is a plain number, which would be a task: `/orders/order-7`, not `/orders/7`.',
  invalid_id:
    'Pass the id as Stint gave it: `project:database:namespace:name` or the UUID at its end. A name such as `/reports/daily` goes where names are taken, over HTTP into `?name=`.',
  invalid_argument: '`field` in the details names what is wrong, `rule` what it must be. Change it and call again.',
  invalid_json:
    '`field` names the place. Send only what JSON can hold: no `NaN` or `Infinity`, no NUL or half of a surrogate pair, no functions or `bigint`, not deeper than 100 levels. Turn such values into text first.',
  payload_too_large:
    'Keep params, results and values below 1 MiB. Store what is large elsewhere (a file, an object store, a table) and pass its address.',
  invalid_schedule:
    'The message names the field and the rule. Try expressions with `previewFires`, `stint schedule preview` or `POST /v1/schedules/preview` before you store them.',
  reserved_event_type:
    "Give your event a name of its own, such as `parcel.arrived`. Those that begin like Stint's (`job.`, `task.`, `slot.` …) are only written by Stint.",
  malformed_body: 'Send JSON in UTF-8, nested at most 100 levels deep, and a `content-length` that is true.',
  unauthorized:
    'Send `Authorization: Bearer stint_…` with a key that is neither revoked nor expired. If there is no key yet, make one where the database is, or on a server that listens on loopback.',
  forbidden:
    'Use a key with a higher role, or one whose path reaches there. For a browser: add the host to `allowedHosts` or the page to `allowedOrigins`.',
  not_found:
    'Check the id. Jobs that are over leave after a time (30 days by default), a key sees only what is below its path, and an answer from outside finds only jobs that are not over.',
  method_not_allowed: '`allowed` in the details lists the methods of this address.',
  path_taken: 'Choose another path, or archive, delete or let end what is there: then the path is free.',
  template_archived: 'Make a new template at the path, which is free again, and submit by the path instead of the id.',
  group_sealed: 'Add members before `seal`. For more jobs afterwards make another group.',
  in_other_group:
    'Give the job another name or key, or leave out `onConflict: keep`, so that it is not taken for a member.',
  slot_filled: 'Slots are written once. If the value that is there is wrong, make a new slot, and a job that needs it.',
  slot_closed:
    'Nobody waits for it any more. If the work is still wanted, run the job that made the slot again and fill the new one.',
  cycle: 'Take one of the needs away: a job cannot wait for what waits for it. `stint.graph` shows what needs what.',
  name_taken:
    'This is how doubles are kept out. `holder` in the details is the job that lives. Take that one (`onConflict: keep`), take its place (`replace`), record a skipped run (`skip`), or give this one another name.',
  key_taken:
    'As for `name_taken`: a live job of this type has the key. Use `onConflict`, or another key. It is free when that job is over.',
  id_taken:
    'Leave `id` out, and a new one is made. If you chose it to submit only once, the job is there already: read it. A worker chooses a new id for each life of its process.',
  endpoint_taken:
    'Wait until the other attempt is over (its name is in the details), or register another name. An endpoint of a worker that died is free when its lease is over.',
  illegal_transition:
    'Read the job: its state is in the details. What is over never changes; run it again with `jobs.retry`, which makes a new job.',
  not_started:
    'The answer came before the job had begun. Keep it and send it again, or let it be an event that the job awaits: those count also when they come early.',
  already_dispatched: 'It is too late to edit: a worker has it. Cancel it and submit another, or wait for its end.',
  stale_token:
    'Stop what you do for this attempt: the job was given to another worker, or is over. Nothing of yours was written, and nothing has to be undone in Stint. If it happens often, look at `stint_leases_lost`: the process is blocked, suspended or cut off from its database for longer than the lease.',
  worker_lost: 'Stop all that the worker runs, and claim under a new id. Renew more often than a third of the lease.',
  stale_slice:
    'Drop it: the slice was saved before, by you or by another worker. The task goes on from what was saved.',
  idempotency_in_progress: 'Wait a moment and send the same request again: you get the answer of the first.',
  idempotency_mismatch:
    'A key is for one request. Make a new one for each, and send it again only with the same body to the same address.',
  unsupported_media_type:
    'Send `content-type: application/json`, which `curl -d` does not do by itself; for events also `application/cloudevents+json`.',
  too_many_requests:
    'Wait as long as `Retry-After` says. Submit many jobs with one call (`/v1/jobs/batch`), and wait with `waitMs` or the stream instead of asking again and again. `requestsPerSecond` of the server raises the limit.',
  invalid_params:
    'The message says which part does not fit. If the schema was changed while jobs were waiting, they fail with this when they run: let the new schema accept the old form until they are gone.',
  job_failed:
    'Its error is in the message and on the job; `runs.list` and `runs.log` show every attempt. When the cause is gone: `jobs.retry`.',
  job_cancelled:
    'Somebody cancelled it, or what it needed never came. The reason is in the message, who did it in `events.list({ job })`.',
  job_skipped:
    'It never ran, and its run says why: it was too late (`expiresAt`), or another job of its name or schedule was there.',
  wait_timeout: 'The job goes on. Wait once more, or longer. Why it is not running yet says `reason` of the job.',
  conflict: 'Do it again: many changed the same thing at the same moment, and nothing of this call was written.',
  version_gap:
    'The log of this job has a hole: something else than Stint changed the database, or a restore was not complete. Run `stint.verify()`, and restore from a backup.',
  schema_newer:
    'Upgrade Stint in this process. A newer version has migrated the database, and an older one cannot know what that means.',
  schema_changed:
    'The files of this version differ from those that made the tables: install an unchanged release. Released migrations are never edited.',
  unsupported_store: 'Use PostgreSQL 15 or later with the encoding UTF8, or the SQLite that comes with Node 24.',
  internal_error:
    'This is a bug, or a fault of the machine. The log of the server has the cause. Report it with that, the version, and what was called.',
  store_busy:
    'Do it again after a moment. On SQLite something holds the file for long: another program with an open transaction, a copy being made. On PostgreSQL the database cannot be reached.',
  unreachable:
    'Check the URL, that the server runs (`/healthz`), and what is between. The client has tried several times already.',
  store_closed:
    'Call before `stint.close()`, or open a new one. When a process stops, this only tells that it was too late.',
  segment_damaged:
    'Do not use the file: it was changed or cut short. Take it from a backup of the archive directory; its checksum is in `events.archived()`.',
  command_not_started:
    'The details have the program and the reason of the system. Install it where the worker runs, give its full path, or make it executable.',
}
