-- Endpoints that running jobs have registered. An attempt that ends leaves its rows as they are: only those whose attempt is
-- open mean anything, and a name passes to the next who registers it. The rest leave with their jobs.
create table endpoints (
  namespace text not null,
  name text not null,
  job integer not null,
  token text not null,
  url text not null,
  registered_at integer not null,
  primary key (namespace, name)
) strict, without rowid;
create index endpoints_job on endpoints (job);
