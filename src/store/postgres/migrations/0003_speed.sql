-- The names and keys of live jobs, in tables of their own: the end of a job takes its rows from here, and touches no index
-- of the jobs, which are many more.
create table stint.names (
  name text collate "C" primary key,
  job bigint not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
insert into stint.names (name, job) select name, pk from stint.jobs where released = 0;

create table stint.keys (
  namespace text collate "C" not null,
  type integer not null,
  key text collate "C" not null,
  job bigint not null,
  primary key (namespace, type, key)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
insert into stint.keys (namespace, type, key, job)
select namespace, type, key, pk from stint.jobs where released = 0 and key is not null;

drop index stint.jobs_name;
drop index stint.jobs_key;
drop index stint.jobs_live;
drop index stint.jobs_children;
create index jobs_name on stint.jobs (name, pk);
create index jobs_children on stint.jobs (parent, parent_attempt, pk) where parent is not null;

-- The end that nearly all jobs have: an attempt that completed, and nothing else to write. Its run is that end (`ends`), with
-- what the job's row would say of it; the row stays as it was before the attempt.
alter table stint.runs add column ends smallint not null default 0;
alter table stint.runs add column token text;
alter table stint.runs add column result_digest text;
alter table stint.runs add column result text;
