-- What is kept of jobs that were pruned, for as long as their runs or their entries in the log are there.
create table past_jobs (
  pk integer primary key,
  id text not null,
  namespace text not null,
  name text not null,
  type integer not null,
  outcome integer,
  ended_at integer not null,
  -- What a run shows of its job, as JSON; null once its runs are gone.
  body text
) strict;
create index past_jobs_id on past_jobs (id);
create index past_jobs_name on past_jobs (name, pk);

-- How far retention has walked. Positions are text, because each kind of walk has its own.
create table walks (
  kind integer primary key,
  front text not null,
  review_after integer,
  shortest_ms integer
) strict;

-- Parts of what was walked over, and when something of them can leave at the earliest: so what is kept for long is not
-- looked at again and again.
create table stretches (
  pk integer primary key,
  kind integer not null,
  after text not null,
  upto text not null,
  made_at integer not null,
  due_at integer
) strict;
create index stretches_due on stretches (kind, due_at) where due_at is not null;
