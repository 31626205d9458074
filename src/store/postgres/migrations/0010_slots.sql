-- What an attempt made, slots among it, fails with it.
alter table stint.records add column parent bigint;
alter table stint.records add column parent_attempt integer;
create index records_children on stint.records (parent, parent_attempt, pk) where parent is not null and released = 0;

-- Whose value a job waits for, or waited for. While it is pending, what it needs is kept.
create table stint.needs (
  on_job bigint not null,
  job bigint not null,
  primary key (on_job, job)
);
create index needs_job on stint.needs (job);
