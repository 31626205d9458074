-- Times are epoch milliseconds. Numbers for states, phases and outcomes are the places in the lists of job-row.ts and encoding.ts.

-- One row. `last_pk` gives row keys, which are never used twice, not even after jobs were pruned.
create table counters (
  id integer primary key check (id = 1),
  last_pk integer not null
) strict;
insert into counters (id, last_pk) values (1, 0);

create table types (
  id integer primary key,
  name text not null unique
) strict;

-- A job's state as its events give it, but for an open attempt: that is a row in claims.
create table jobs (
  pk integer primary key,
  id text not null unique,
  -- Counts the writes of this row. Whoever writes must have read the newest.
  revision integer not null,
  -- Zero while the job holds its name and key, its pk after: unique indexes make exactly one holder.
  released integer not null,
  name text not null,
  namespace text not null,
  type integer not null,
  key text,
  version integer not null,
  state integer not null,
  phase integer not null,
  priority integer not null,
  position integer not null,
  attempt integer not null,
  charged integer not null,
  cancelled integer not null,
  outcome integer,
  scheduled_for integer not null,
  expires_at integer,
  deadline_at integer,
  attempt_deadline_at integer,
  created_at integer not null,
  queued_at integer,
  started_at integer,
  finished_at integer,
  updated_at integer not null,
  token text,
  worker_id text,
  template_id text,
  schedule_id text,
  group_id text,
  retry_of text,
  submitted_by text,
  labels text,
  options text,
  detail text,
  error text,
  params_digest text,
  result_digest text,
  params text,
  result text
) strict;
create unique index jobs_name on jobs (name, released);
create unique index jobs_key on jobs (namespace, type, key, released) where key is not null;

-- Seats: every queued job has a row in ready or delayed, every running job one in claims. The seat carries the revision
-- of its job, and taking it is the right to change the job.
create table ready (
  lane integer not null,
  priority integer not null,
  position integer not null,
  job integer not null,
  revision integer not null,
  -- From then on the job must not start any more; null for never.
  not_after integer
) strict;
create index ready_order on ready (lane, priority desc, position, job, not_after);

create table delayed (
  due_at integer not null,
  job integer not null,
  revision integer not null,
  lane integer not null,
  priority integer not null,
  position integer not null,
  not_after integer,
  primary key (due_at, job)
) strict, without rowid;

create table claims (
  job integer primary key,
  revision integer not null,
  started_at integer not null,
  deadline_at integer,
  token text not null,
  worker_id text not null
) strict;

-- One row an attempt, written at its end.
create table runs (
  job integer not null,
  attempt integer not null,
  status integer not null,
  reason text,
  error text,
  worker_id text,
  started_at integer,
  finished_at integer not null,
  exit_code integer,
  artifacts text,
  log_path text,
  primary key (job, attempt)
) strict, without rowid;

-- A pending job waits for the end of others.
create table waits (
  on_job integer not null,
  job integer not null,
  primary key (on_job, job)
) strict, without rowid;
create index waits_job on waits (job);

-- The log. Stint's own events have a code and a version, events from outside a source, an id and a type in words.
create table events (
  log_id integer primary key,
  job integer,
  version integer,
  code integer,
  occurred_at integer not null,
  received_at integer not null,
  namespace text not null,
  actor text,
  cause text,
  execution_id text,
  trace_id text,
  span_id text,
  source text,
  event_id text,
  event_type text,
  job_ref text,
  task_ref text,
  attributes text not null
) strict;
create index events_job on events (job, version) where job is not null;
-- Nearly all events are of the three types of a job that just runs; the index holds the others, which people look for.
create index events_code on events (code, log_id) where code not in (1, 4, 6);
create index events_type on events (event_type, log_id) where event_type is not null;
create index events_occurred on events (occurred_at);

-- Makes events from outside unique for as long as keys are kept, whatever becomes of the log's old parts.
create table event_keys (
  namespace text not null,
  source text not null,
  id text not null,
  primary key (namespace, source, id)
) strict, without rowid;

create trigger events_append_only_update before update on events begin
  select raise(abort, 'the event log is append-only');
end;
create trigger events_append_only_delete before delete on events begin
  select raise(abort, 'the event log is append-only');
end;
create trigger runs_written_once before update on runs begin
  select raise(abort, 'runs are written once');
end;
