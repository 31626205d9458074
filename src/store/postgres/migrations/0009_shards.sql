-- Sharded jobs: what their tasks have in common and how many of them are where, in one narrow row each; and the shards that
-- are no tasks yet, or never will be because their state was taken over from an earlier job.
create table stint.sharded (
  job bigint primary key,
  spec text not null,
  total integer not null,
  adopted integer not null,
  opened integer not null,
  done integer not null,
  failed integer not null
) with (fillfactor = 50);
create table stint.shards (
  job bigint not null,
  idx integer not null,
  state text not null,
  adopted smallint not null,
  primary key (job, adopted, idx)
);
