-- Endpoints that running jobs have registered. An attempt that ends leaves its rows as they are: only those whose attempt is
-- open mean anything, and a name passes to the next who registers it. The rest leave with their jobs.
create table stint.endpoints (
  namespace text collate "C" not null,
  name text collate "C" not null,
  job bigint not null,
  token text not null,
  url text not null,
  registered_at bigint not null,
  primary key (namespace, name)
);
create index endpoints_job on stint.endpoints (job);
