-- What is kept of jobs that were pruned, for as long as their runs or their entries in the log are there.
create table stint.past_jobs (
  pk bigint primary key,
  id uuid not null,
  namespace text collate "C" not null,
  name text collate "C" not null,
  type integer not null,
  outcome smallint,
  ended_at bigint not null,
  -- What a run shows of its job, as JSON; null once its runs are gone.
  body text
);
create index past_jobs_id on stint.past_jobs (id);
create index past_jobs_name on stint.past_jobs (name, pk);

-- How far retention has walked: over the jobs (kind 1) and over the log (kind 2). Positions are text, because each kind of walk has its own.
create table stint.walks (
  kind smallint primary key,
  front text not null,
  review_after bigint,
  shortest_ms bigint
);

-- Parts of what was walked over, and when something of them can leave at the earliest: so what is kept for long is not
-- looked at again and again.
create table stint.stretches (
  pk bigint generated always as identity primary key,
  kind smallint not null,
  after text not null,
  upto text not null,
  made_at bigint not null,
  due_at bigint
);
create index stretches_due on stint.stretches (kind, due_at) where due_at is not null;

-- Entries of the log that stand in files.
create table stint.segments (
  pk bigint generated always as identity primary key,
  file text collate "C" not null unique,
  checksum text not null,
  count integer not null,
  first_id bigint not null,
  last_id bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  archived_at bigint not null
);

-- Only the transaction that archives entries says so of itself, for itself: nothing else can leave the log.
create or replace function stint.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('stint_log.archiving', true) = 'on' then
    return old;
  end if;
  raise exception 'stint: % is append-only: % refused', tg_table_name, lower(tg_op);
end
$$;
