import type { ErrorCode } from './errors.ts'

/**
 * What to do about each code, for the page of errors and for whoever shows one to a person. It is apart from the table of codes because
 * nobody who handles an error needs it.
 */
export const errorAdvice: Readonly<Record<ErrorCode, string>> = {
  invalid_name:
    'Read `rule` in the details. A name begins with `/` and has at most 16 parts, none of them empty, with up to 128 bytes each and 1,000 in all. The first part may only contain `A–Z a–z 0–9 . _ ~ -`. No part may be a plain number, because that would mean a task: write `/orders/order-7`, not `/orders/7`.',
  invalid_id:
    'Pass the id as Stint gave it to you: `project:database:namespace:name`, or the UUID at its end. To use a name such as `/reports/daily` over HTTP, put it into `?name=`.',
  invalid_argument:
    '`field` in the details tells you what is wrong, and `rule` what it must be. Change it and try again.',
  invalid_json:
    '`field` tells you where. Send only what JSON can hold: no `NaN` or `Infinity`, no NUL characters or lone surrogates, no functions or `bigint`, and at most 100 levels. Turn such values into text first.',
  payload_too_large:
    'Keep params, results and values below 1 MiB. Store larger data elsewhere (a file, an object store, a table) and pass its address.',
  invalid_schedule:
    'The message names the field and the rule. Try out expressions with `previewFires`, `stint schedule preview` or `POST /v1/schedules/preview` before you store them.',
  reserved_event_type:
    'Give your event a type of its own, such as `parcel.arrived`. Types that begin with `job.`, `task.`, `slot.` and so on are reserved for Stint.',
  malformed_body: 'Send JSON in UTF-8, at most 100 levels deep, with a correct `content-length`.',
  unauthorized:
    'Send `Authorization: Bearer stint_…` with a key that is neither revoked nor expired. If there is no key yet, make the first one with `stint keys create --db`, or on a server that listens on loopback.',
  forbidden:
    'Use a key with a higher role, or one whose path includes this. In a browser: add the host to `allowedHosts`, or the website to `allowedOrigins`.',
  not_found:
    'Check the id. Finished jobs are removed after a while (30 days by default), a key sees only what is below its path, and an answer from outside only finds jobs that have not ended.',
  method_not_allowed: '`allowed` in the details lists the methods that this address supports.',
  path_taken: 'Choose another path, or archive, delete or finish what is there. Then the path is free.',
  template_archived:
    'The path is free again: make a new template there, and refer to it by its path instead of the id.',
  group_sealed: 'Add members before you call `seal`. For more jobs, make another group.',
  in_other_group: 'Give the job another name or key, or leave out `onConflict: keep`.',
  slot_filled: 'A slot can be filled only once. If its value is wrong, make a new slot, and a new job that uses it.',
  slot_closed:
    'Nobody is waiting for it any more. If you still want the work done, retry the job that made the slot, and fill the new one.',
  cycle:
    'Remove one of the dependencies: a job cannot wait for something that waits for it. `stint.graph` shows what depends on what.',
  name_taken:
    'This is how Stint prevents duplicates. `holder` in the details is the job that has the name. With `onConflict` you can use that job (`keep`), take its place (`replace`) or record a skipped run (`skip`). Or give your job another name.',
  key_taken:
    'As for `name_taken`: another job of this type has the key and has not ended. Use `onConflict`, or another key. The key is free when that job has ended.',
  id_taken:
    'Leave out `id` to get a new one. If you chose the id so as to submit only once, the job already exists: read it. A worker needs a new id each time its process starts.',
  endpoint_taken:
    'Wait until the other attempt has ended (the details say whose it is), or register another name. If its worker has died, the endpoint becomes free when the lease is over.',
  illegal_transition:
    'The details show the state of the job. A job that has ended never changes; to run it again, use `jobs.retry`, which makes a new job.',
  not_started:
    'Your answer came before the job had started. Send it again later, or let the job wait for an event instead: events count even if they come early.',
  already_dispatched:
    'It is too late to edit the job: a worker has taken it. Cancel it and submit another, or let it finish.',
  stale_token:
    'Stop working on this attempt: the job was given to another worker, or has ended. Nothing was written, so there is nothing to undo in Stint. If this happens often, look at `stint_leases_lost`: the process may be frozen, or cut off from its database, for longer than the lease.',
  worker_lost:
    'Stop everything the worker is running, and claim with a new id. Renew the lease at least every third of its time.',
  stale_slice:
    'Discard it: the slice has already been saved, by you or by another worker. The task continues from what was saved.',
  idempotency_in_progress: 'Wait a moment and send the same request again: you will get the answer to the first one.',
  idempotency_mismatch: 'Use each key for one request only. Reuse it only to repeat exactly the same request.',
  unsupported_media_type:
    'Send `content-type: application/json`, which `curl -d` does not do by itself; for events also `application/cloudevents+json`.',
  too_many_requests:
    'Wait as long as `Retry-After` says. Submit many jobs with one request (`/v1/jobs/batch`), and use `waitMs` or the stream instead of polling. The server option `requestsPerSecond` sets the limit.',
  invalid_params:
    'The message says which part does not fit. If you changed the schema while jobs were waiting, they fail with this error when they run: let the new schema accept the old params until those jobs are done.',
  job_failed:
    'The message and the job have the error; `runs.list` and `runs.log` show every attempt. When you have fixed the cause, use `jobs.retry`.',
  job_cancelled:
    'Somebody cancelled it, or something it needed never came. The message has the reason, and `events.list({ job })` shows who did it.',
  job_skipped:
    'It never ran, and its run says why: it was too late (`expiresAt`), or another job of the same name or schedule was in the way.',
  wait_timeout: 'The job carries on. Wait again, or longer. If it is not running yet, its `reason` says why.',
  conflict: 'Try again: many callers changed the same thing at the same moment, and nothing of this call was written.',
  version_gap:
    'Events of this job are missing: something other than Stint changed the database, or a restore was incomplete. Run `stint verify`, and restore from a backup.',
  schema_newer:
    'Upgrade Stint in this process. A newer version has migrated the database, and older versions cannot use it.',
  schema_changed:
    'The migration files of this installation differ from those that made the tables. Install an unmodified release.',
  unsupported_store: 'Use PostgreSQL 15 or later with the encoding UTF8, or the SQLite that comes with Node 24.',
  internal_error:
    'This is a bug, or a fault of the machine. The log of the server has the cause. Please report it with that, the version, and what you called.',
  store_busy:
    'Try again after a moment. On SQLite something has locked the file for a long time: another program with an open transaction, or a copy being made. On PostgreSQL the database cannot be reached.',
  unreachable:
    'Check the URL, whether the server is running (`/healthz`), and the network in between. The client has already tried several times.',
  store_closed:
    'Make calls before `stint.close()`, or open Stint again. While a process is stopping, this only means that the call came too late.',
  segment_damaged:
    'Do not use the file: it was changed or cut short. Restore it from a backup of the archive directory; `events.archived()` has its checksum.',
  command_not_started:
    'The details name the program and the reason that the system gave. Install the program where the worker runs, give its full path, or make it executable.',
}
