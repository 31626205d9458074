-- Who belongs to which group, and in what order. A group is a record; a member that may not run yet waits for its key.
create table members (
  group_pk integer not null,
  seq integer not null,
  job integer not null,
  primary key (group_pk, seq)
) strict, without rowid;
create index members_job on members (job);
