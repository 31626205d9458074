-- What running jobs needs: workers with leases, deadlines, follow-ups, children, progress and logs.

-- A worker is one process incarnation. Its lease is renewed for as long as it lives; whoever finds it over marks the worker
-- lost, and only then are its jobs rescued.
create table workers (
  id text primary key,
  name text not null,
  started_at integer not null,
  seen_at integer not null,
  lease_until integer not null,
  lost_at integer,
  -- How many jobs it held when it was found lost. A job that was alone is to blame; of several, nobody knows which.
  lost_with integer
) strict, without rowid;

-- Set when the holder of an attempt has been asked to stop: so a worker sees it without reading its jobs.
alter table claims add column cancel_asked integer not null default 0;

-- The instant at which time alone changes a job, for each job that has one: `elapsesAt` of the core.
create table deadlines (
  job integer primary key,
  at integer not null
) strict;
create index deadlines_order on deadlines (at, job);
insert into deadlines (at, job)
select at, pk from (
  select jobs.pk, case
    when claims.job is not null or jobs.state = 1 then
      min(coalesce(claims.deadline_at, jobs.attempt_deadline_at, jobs.deadline_at), coalesce(jobs.deadline_at, claims.deadline_at, jobs.attempt_deadline_at))
    when jobs.state = 0 then min(coalesce(jobs.expires_at, jobs.deadline_at), coalesce(jobs.deadline_at, jobs.expires_at))
    else jobs.deadline_at end as at
  from jobs left join claims on claims.job = jobs.pk where jobs.state <> 3
) where at is not null;

-- What is left to do of a decision that concerns many jobs. Upkeep does it page by page; a crash loses nothing of it.
create table follow_ups (
  pk integer primary key,
  kind integer not null,
  -- The job that it began with; null for a branch of names.
  job integer,
  data text not null
) strict;
create index follow_ups_job on follow_ups (job);

-- The attempt that submitted a job, and where the trace of its submission goes on.
alter table jobs add column parent integer;
alter table jobs add column parent_attempt integer;
alter table jobs add column trace_parent text;
create index jobs_children on jobs (parent, parent_attempt, pk) where parent is not null and phase <> 4;
-- Live jobs by name, for all that works on a branch.
create index jobs_live on jobs (name) where released = 0;

create table progress (
  job integer primary key,
  done real not null,
  total real,
  updated_at integer not null
) strict;

create table checkpoints (
  job integer primary key,
  attempt integer not null,
  value text not null,
  updated_at integer not null
) strict;

create table run_logs (
  job integer not null,
  attempt integer not null,
  seq integer not null,
  at integer not null,
  line text not null,
  primary key (job, attempt, seq)
) strict, without rowid;
