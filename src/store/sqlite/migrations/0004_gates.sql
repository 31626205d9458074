-- Limits and pauses. A job that meets a shut gate when it is about to be claimed leaves the ready ones and waits at that
-- gate, so that no claim meets it again before something has opened it.

create table limits (
  id integer primary key,
  key text not null unique,
  concurrency integer,
  rate_count integer,
  rate_ms integer
) strict;

-- What is held of limits. One of concurrency (kind 0) is held for as long as the attempt is open, one of a rate (kind 1)
-- for the time of the rate from its start. How full a limit is, is counted here and stored nowhere.
create table permits (
  pk integer primary key,
  limit_id integer not null,
  kind integer not null,
  job integer not null,
  release_at integer
) strict;
create index permits_limit on permits (limit_id, kind);
create index permits_job on permits (job) where kind = 0;
create index permits_release on permits (release_at) where release_at is not null;

-- A branch or a type whose jobs must not start.
create table pauses (
  id integer primary key,
  path text unique,
  type integer unique,
  reason text,
  since integer not null
) strict;

-- Seats of queued jobs at a gate: the id of a limit, or of a pause with the sign changed.
create table gated (
  gate integer not null,
  lane integer not null,
  priority integer not null,
  position integer not null,
  job integer not null,
  revision integer not null,
  not_after integer,
  limited integer not null,
  primary key (gate, lane, priority desc, position, job)
) strict, without rowid;
create unique index gated_job on gated (job);

-- Whether the job has limits of its own, which a claim must then look at.
alter table ready add column limited integer not null default 0;
alter table delayed add column limited integer not null default 0;

-- The types of jobs that a worker knows, as JSON, for people who ask why a job does not run.
alter table workers add column types text not null default '[]';
