-- Who belongs to which group, and in what order. A group is a record; a member that may not run yet waits for its key.
create table stint.members (
  group_pk bigint not null,
  seq bigint not null,
  job bigint not null,
  primary key (group_pk, seq)
);
create index members_job on stint.members (job);
