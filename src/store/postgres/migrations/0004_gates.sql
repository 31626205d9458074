-- Limits and pauses. A job that meets a shut gate when it is about to be claimed leaves the ready ones and waits at that
-- gate, so that no claim meets it again before something has opened it.

create table stint.limits (
  id integer generated always as identity primary key,
  key text collate "C" not null unique,
  concurrency integer,
  rate_count integer,
  rate_ms bigint
);

-- What is held of limits. One of concurrency (kind 0) is held for as long as the attempt is open, one of a rate (kind 1)
-- for the time of the rate from its start. How full a limit is, is counted here and stored nowhere.
create table stint.permits (
  limit_id integer not null,
  kind smallint not null,
  job bigint not null,
  release_at bigint
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index permits_limit on stint.permits (limit_id, kind);
create index permits_job on stint.permits (job) where kind = 0;
create index permits_release on stint.permits (release_at) where release_at is not null;

-- A branch or a type whose jobs must not start.
create table stint.pauses (
  id integer generated always as identity primary key,
  path text collate "C" unique,
  type integer unique,
  reason text,
  since bigint not null
);

-- Seats of queued jobs at a gate: the id of a limit, or of a pause with the sign changed.
create table stint.gated (
  gate integer not null,
  lane integer not null,
  priority integer not null,
  position bigint not null,
  job bigint not null unique,
  revision integer not null,
  not_after bigint,
  limited smallint not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
create index gated_order on stint.gated (gate, lane, priority desc, position, job);

-- Whether the job has limits of its own, which a claim must then look at.
alter table stint.ready add column limited smallint not null default 0;
alter table stint.delayed add column limited smallint not null default 0;

-- The types of jobs that a worker knows, as JSON, for people who ask why a job does not run.
alter table stint.workers add column types text not null default '[]';
