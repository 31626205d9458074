-- What is described rather than run: templates, schedules, groups, defaults. What is asked for in SQL is a column; the rest is
-- JSON, which one module for each kind reads and writes.
create table records (
  -- Taken from the same numbers as those of jobs: a job can wait for a record as it can for a job.
  pk integer primary key,
  kind integer not null,
  id text not null,
  path text not null,
  namespace text not null,
  -- Zero while it has its path, its pk after: the unique index makes exactly one holder.
  released integer not null,
  version integer not null,
  due_at integer,
  created_at integer not null,
  updated_at integer not null,
  body text not null
) strict;
create unique index records_id on records (kind, id);
create unique index records_path on records (kind, path, released);
create index records_due on records (kind, due_at) where due_at is not null;

-- That a schedule fired for an instant, for ever: whoever fires, there is one for each instant.
create table fires (
  schedule integer not null,
  at integer not null,
  -- The newest job that was made for the instant; null when none could be made.
  job integer,
  primary key (schedule, at)
) strict, without rowid;
