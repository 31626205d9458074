-- What is kept of jobs that were pruned, for as long as their runs or their entries in the log are there.
create table past_jobs (
  pk integer primary key,
  id text not null,
  namespace text not null,
  name text not null,
  type integer not null,
  outcome integer,
  ended_at integer not null,
  -- What a run shows of its job, as JSON; null once its runs are gone.
  body text
) strict;
create index past_jobs_id on past_jobs (id);
create index past_jobs_name on past_jobs (name, pk);

-- How far retention has walked: over the jobs (kind 1) and over the log (kind 2). Positions are text, because each kind of walk has its own.
create table walks (
  kind integer primary key,
  front text not null,
  review_after integer,
  shortest_ms integer
) strict;

-- Parts of what was walked over, and when something of them can leave at the earliest: so what is kept for long is not
-- looked at again and again.
create table stretches (
  pk integer primary key,
  kind integer not null,
  after text not null,
  upto text not null,
  made_at integer not null,
  due_at integer
) strict;
create index stretches_due on stretches (kind, due_at) where due_at is not null;

-- Entries of the log that stand in files.
create table segments (
  pk integer primary key,
  file text not null unique,
  checksum text not null,
  count integer not null,
  first_id integer not null,
  last_id integer not null,
  first_at integer not null,
  last_at integer not null,
  archived_at integer not null
) strict;

-- The entries that the transaction which archives them is about to remove: nothing else can leave the log, by no statement.
create table removals (
  log_id integer primary key
) strict;
drop trigger events_append_only_delete;
create trigger events_append_only_delete before delete on events
when not exists (select 1 from removals where removals.log_id = old.log_id) begin
  select raise(abort, 'the event log is append-only');
end;
