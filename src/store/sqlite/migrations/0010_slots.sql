-- What an attempt made, slots among it, fails with it.
alter table records add column parent integer;
alter table records add column parent_attempt integer;
create index records_children on records (parent, parent_attempt, pk) where parent is not null and released = 0;

-- Whose value a job waits for, or waited for. While it is pending, what it needs is kept.
create table needs (
  on_job integer not null,
  job integer not null,
  primary key (on_job, job)
) strict, without rowid;
create index needs_job on needs (job);
