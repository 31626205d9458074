-- Times are epoch milliseconds. Numbers for states, phases and outcomes are the places in the lists of job-row.ts and encoding.ts.
-- Text that is compared or ordered has the collation "C": equality and order by bytes, as in SQLite.

-- Row keys. They also give positions in the queue, so they are taken one by one and not in blocks by process.
create sequence stint.pks;

create table stint.types (
  id integer generated always as identity primary key,
  name text collate "C" not null unique
);

-- A job's state as its events give it, but for an open attempt: that is a row in claims.
create table stint.jobs (
  pk bigint primary key,
  id uuid not null,
  -- Counts the writes of this row. Whoever writes must have read the newest.
  revision integer not null,
  -- Zero while the job holds its name and key, its pk after: unique indexes make exactly one holder.
  released bigint not null,
  name text collate "C" not null,
  namespace text collate "C" not null,
  type integer not null,
  key text collate "C",
  version integer not null,
  state smallint not null,
  phase smallint not null,
  priority integer not null,
  position bigint not null,
  attempt integer not null,
  charged integer not null,
  cancelled smallint not null,
  outcome smallint,
  scheduled_for bigint not null,
  expires_at bigint,
  deadline_at bigint,
  attempt_deadline_at bigint,
  created_at bigint not null,
  queued_at bigint,
  started_at bigint,
  finished_at bigint,
  updated_at bigint not null,
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
);
create unique index jobs_id on stint.jobs (id);
create unique index jobs_name on stint.jobs (name, released);
create unique index jobs_key on stint.jobs (namespace, type, key, released) where key is not null;

-- Seats: every queued job has a row in ready or delayed, every running job one in claims. The seat carries the revision
-- of its job, and taking it is the right to change the job. A seat is replaced, never updated, but for a claim whose job
-- changes while it runs: so a statement that read an old seat cannot take a new one.
create table stint.ready (
  lane integer not null,
  priority integer not null,
  position bigint not null,
  job bigint not null,
  revision integer not null,
  -- From then on the job must not start any more; null for never.
  not_after bigint
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index ready_order on stint.ready (lane, priority desc, position, job);

create table stint.delayed (
  due_at bigint not null,
  job bigint not null,
  revision integer not null,
  lane integer not null,
  priority integer not null,
  position bigint not null,
  not_after bigint,
  primary key (due_at, job)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

create table stint.claims (
  job bigint primary key,
  revision integer not null,
  started_at bigint not null,
  deadline_at bigint,
  token text not null,
  worker_id text not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- One row an attempt, written at its end.
create table stint.runs (
  job bigint not null,
  attempt integer not null,
  status smallint not null,
  reason text,
  error text,
  worker_id text,
  started_at bigint,
  finished_at bigint not null,
  exit_code integer,
  artifacts text,
  log_path text,
  primary key (job, attempt)
);

-- A pending job waits for the end of others.
create table stint.waits (
  on_job bigint not null,
  job bigint not null,
  primary key (on_job, job)
);
create index waits_job on stint.waits (job);

-- The log. Stint's own events have a code and a version, events from outside a source, an id and a type in words.
-- (tx, log_id) is the order in which readers see it: tx is not below the transaction that wrote the event, and nobody reads
-- beyond the oldest transaction still open, so nothing can appear behind a reader. Old months leave as whole partitions.
-- The sequence has no cache: events of one job that have the same tx must have their ids in the order of their writing.
create sequence stint.log_ids;
create table stint.events (
  tx bigint not null,
  log_id bigint not null default nextval('stint.log_ids'),
  job bigint,
  version integer,
  code smallint,
  occurred_at bigint not null,
  received_at bigint not null,
  namespace text collate "C" not null,
  actor text,
  cause text,
  execution_id text,
  trace_id text,
  span_id text,
  source text,
  event_id text,
  event_type text collate "C",
  job_ref text,
  task_ref text,
  attributes text not null
) partition by range (received_at);
create index events_cursor on stint.events (tx, log_id);
create index events_job on stint.events (job, version) where job is not null;
-- Nearly all events are of the three types of a job that just runs; the index holds the others, which people look for.
create index events_code on stint.events (code, log_id) where code not in (1, 4, 6);
create index events_type on stint.events (event_type, log_id) where event_type is not null;
create index events_occurred on stint.events using brin (occurred_at);
-- Catches what no month's partition holds, so that a missing partition never stops the work.
create table stint.events_rest partition of stint.events default;

-- Makes events from outside unique for as long as keys are kept, whatever becomes of the log's old partitions.
create table stint.event_keys (
  namespace text collate "C" not null,
  source text collate "C" not null,
  id text collate "C" not null,
  primary key (namespace, source, id)
);

-- One row. When a database is restored into another cluster, transaction numbers begin again below those in the log;
-- `tx_offset` lifts the new ones above the old.
create table stint.settings (
  id smallint primary key check (id = 1),
  tx_offset bigint not null
);
insert into stint.settings (id, tx_offset) values (1, 0);

-- The tx of an event that is written now. A transaction has its number from its first write, and may meet a job much later
-- that younger ones have written to since: with its own number its events would come before theirs. So it takes the
-- newest number that anybody had when the statement began. That one is given out already, so nobody waits for it in vain.
create function stint.log_position(tx_offset bigint) returns bigint language sql volatile as $$
  select tx_offset
    + greatest(pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)
$$;

create function stint.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'stint: % is append-only: % refused', tg_table_name, lower(tg_op);
end
$$;
create trigger events_append_only before update or delete on stint.events
  for each row execute function stint.refuse_change();
create trigger events_not_truncated before truncate on stint.events
  for each statement execute function stint.refuse_change();
create trigger events_rest_not_truncated before truncate on stint.events_rest
  for each statement execute function stint.refuse_change();
create trigger runs_written_once before update on stint.runs
  for each row execute function stint.refuse_change();
