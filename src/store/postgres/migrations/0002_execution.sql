-- What running jobs needs: workers with leases, deadlines, follow-ups, children, progress and logs.

-- A worker is one process incarnation. Its lease is renewed for as long as it lives; whoever finds it over marks the worker
-- lost, and only then are its jobs rescued.
create table stint.workers (
  id text collate "C" primary key,
  name text not null,
  started_at bigint not null,
  seen_at bigint not null,
  lease_until bigint not null,
  lost_at bigint,
  -- How many jobs it held when it was found lost. A job that was alone is to blame; of several, nobody knows which.
  lost_with integer
);

-- Set when the holder of an attempt has been asked to stop: so a worker sees it without reading its jobs.
alter table stint.claims add column cancel_asked smallint not null default 0;

-- The instant at which time alone changes a job, for each job that has one: `elapsesAt` of the core.
create table stint.deadlines (
  job bigint primary key,
  at bigint not null
);
create index deadlines_order on stint.deadlines (at, job);
insert into stint.deadlines (at, job)
select at, pk from (
  select jobs.pk, case
    when claims.job is not null or jobs.state = 1
      then least(coalesce(claims.deadline_at, jobs.attempt_deadline_at), jobs.deadline_at)
    when jobs.state = 0 then least(jobs.expires_at, jobs.deadline_at)
    else jobs.deadline_at end as at
  from stint.jobs left join stint.claims on claims.job = jobs.pk where jobs.state <> 3
) as live where at is not null;

-- What is left to do of a decision that concerns many jobs. Upkeep does it page by page; a crash loses nothing of it.
create table stint.follow_ups (
  pk bigint generated always as identity primary key,
  kind smallint not null,
  -- The job that it began with; null for a branch of names.
  job bigint,
  data text not null
);
create index follow_ups_job on stint.follow_ups (job);

-- The attempt that submitted a job, and where the trace of its submission goes on.
alter table stint.jobs add column parent bigint;
alter table stint.jobs add column parent_attempt integer;
alter table stint.jobs add column trace_parent text;
create index jobs_children on stint.jobs (parent, parent_attempt, pk) where parent is not null and phase <> 4;
-- Live jobs by name, for all that works on a branch.
create index jobs_live on stint.jobs (name) where released = 0;

create table stint.progress (
  job bigint primary key,
  done double precision not null,
  total double precision,
  updated_at bigint not null
);

create table stint.checkpoints (
  job bigint primary key,
  attempt integer not null,
  value text not null,
  updated_at bigint not null
);

create table stint.run_logs (
  job bigint not null,
  attempt integer not null,
  seq integer not null,
  at bigint not null,
  line text not null,
  primary key (job, attempt, seq)
);
