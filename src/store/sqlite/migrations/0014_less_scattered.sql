-- A job that is taken out of the order of its submission changes a page of every tree whose order is that of the jobs, and each such
-- page is written twice. What nearly every job writes is now at the end of its tree, or found from there.

-- Entries of the log that the index does not hold, because a claim or a run leads to them: starts and plain ends.
alter table events add column led_to integer;
drop index events_job;
create index events_job on events (job, version) where job is not null and led_to is null;

-- The entry with which the attempt started; null once something else was written of the job, or where the index holds it.
alter table claims add column start_row integer;

-- Entries to which no claim or run leads any more.
create table event_rows (
  job integer not null,
  log_id integer not null,
  primary key (job, log_id)
) strict, without rowid;

-- Runs in the order in which they ended, which are wide, and beside them a narrow index.
create table runs_as_they_ended (
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
  -- The end that nearly all jobs have: this run is that end, with what the job's row would say of it.
  ends integer not null default 0,
  token text,
  result_digest text,
  result text,
  -- The entries with which it started and ended, where the index does not hold them.
  start_row integer,
  end_row integer
) strict;
insert into runs_as_they_ended (
  job, attempt, status, reason, error, worker_id, started_at, finished_at, exit_code, artifacts, log_path, ends, token,
  result_digest, result
)
select job, attempt, status, reason, error, worker_id, started_at, finished_at, exit_code, artifacts, log_path, ends, token,
  result_digest, result
from runs order by job, attempt;
drop table runs;
alter table runs_as_they_ended rename to runs;
create unique index runs_job on runs (job, attempt);
create trigger runs_written_once before update on runs begin
  select raise(abort, 'runs are written once');
end;
