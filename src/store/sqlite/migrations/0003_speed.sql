-- The names and keys of live jobs, in tables of their own: the end of a job takes its rows from here, and touches no index
-- of the jobs, which are many more.
create table names (
  name text primary key,
  job integer not null
) strict, without rowid;
insert into names (name, job) select name, pk from jobs where released = 0;

create table keys (
  namespace text not null,
  type integer not null,
  key text not null,
  job integer not null,
  primary key (namespace, type, key)
) strict, without rowid;
insert into keys (namespace, type, key, job)
select namespace, type, key, pk from jobs where released = 0 and key is not null;

drop index jobs_name;
drop index jobs_key;
drop index jobs_live;
drop index jobs_children;
create index jobs_name on jobs (name, pk);
create index jobs_children on jobs (parent, parent_attempt, pk) where parent is not null;

-- The same as before, said so that it costs nothing: SQLite makes a table of the list in `not in` for every row it writes.
drop index events_code;
create index events_code on events (code, log_id) where code <> 1 and code <> 4 and code <> 6;
-- What Stint itself does happens when it is received, in the order of the log: only events from outside need an index.
drop index events_occurred;
create index events_occurred on events (occurred_at) where code is null;

-- One tree in place of a table and its index.
create table ready_in_order (
  lane integer not null,
  priority integer not null,
  position integer not null,
  job integer not null,
  revision integer not null,
  -- From then on the job must not start any more; null for never.
  not_after integer,
  primary key (lane, priority desc, position, job)
) strict, without rowid;
insert into ready_in_order select lane, priority, position, job, revision, not_after from ready;
drop table ready;
alter table ready_in_order rename to ready;

-- The end that nearly all jobs have: an attempt that completed, and nothing else to write. Its run is that end (`ends`), with
-- what the job's row would say of it; the row stays as it was before the attempt.
alter table runs add column ends integer not null default 0;
alter table runs add column token text;
alter table runs add column result_digest text;
alter table runs add column result text;
