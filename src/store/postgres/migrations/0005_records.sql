-- What is described rather than run: templates, schedules, groups, defaults. What is asked for in SQL is a column; the rest is
-- JSON, which one module for each kind reads and writes.
create table stint.records (
  -- Taken from the same sequence as those of jobs: a job can wait for a record as it can for a job.
  pk bigint primary key,
  kind smallint not null,
  id uuid not null,
  path text collate "C" not null,
  namespace text collate "C" not null,
  -- Zero while it has its path, its pk after: the unique index makes exactly one holder.
  released bigint not null,
  version integer not null,
  due_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  body text not null
);
create unique index records_id on stint.records (kind, id);
create unique index records_path on stint.records (kind, path, released);
create index records_due on stint.records (kind, due_at) where due_at is not null;

-- That a schedule fired for an instant, for ever: whoever fires, there is one for each instant.
create table stint.fires (
  schedule bigint not null,
  at bigint not null,
  -- The newest job that was made for the instant; null when none could be made.
  job bigint,
  primary key (schedule, at)
);
