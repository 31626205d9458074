-- name: jobKeys
-- These give row keys below one, the highest first. What they find is looked at by jobKeysMatching.
select pk from stint.jobs where pk < :before::bigint order by pk desc limit :count::integer;

-- name: jobKeysOfKey
select pk from stint.jobs where key = :key::text and pk < :before::bigint order by pk desc limit :count::integer;

-- name: jobKeysRunning
-- Held by a worker, or with an open attempt that no worker holds (state 1).
select pk from (
  select job as pk from stint.claims where job < :before::bigint order by job desc limit :count::integer
) as held
union
select pk from (
  select pk from stint.jobs where state = 1 and pk < :before::bigint order by pk desc limit :count::integer
) as open
order by pk desc limit :count::integer;

-- name: jobKeysCancelled
select pk from stint.jobs where cancelled = 1 and pk < :before::bigint order by pk desc limit :count::integer;

-- name: jobKeysOfOutcome
-- The index leaves out those that have completed (0), which are nearly all.
select pk from stint.jobs where outcome > 0 and outcome = :outcome::smallint and pk < :before::bigint
order by pk desc limit :count::integer;

-- name: queuedCount
-- Every job that is queued has a seat, or waits for others (phase 0).
select (select count(*) from (select from stint.ready limit :most::integer) as first)
  + (select count(*) from (select from stint.delayed limit :most::integer) as first)
  + (select count(*) from (select from stint.gated limit :most::integer) as first)
  + (select count(*) from (select from stint.jobs where phase = 0 order by pk limit :most::integer) as first) as count;

-- name: jobKeysQueued
select job as pk from stint.ready where job < :before::bigint
union all select job from stint.delayed where job < :before::bigint
union all select job from stint.gated where job < :before::bigint
union all select pk from stint.jobs where phase = 0 and pk < :before::bigint
order by pk desc limit :count::integer;

-- name: branchCount
select (
  select count(*) from (select from stint.jobs where name = :branch::text order by pk limit :most::integer) as same
) + (
  select count(*) from (
    select from stint.jobs where name > :branch::text || '/' and name < :branch::text || '0'
    order by name limit :most::integer
  ) as below
) as count;

-- name: jobKeysOfBranch
select pk from stint.jobs where name = :branch::text and pk < :before::bigint
union all
select pk from stint.jobs where name > :branch::text || '/' and name < :branch::text || '0' and pk < :before::bigint
order by pk desc limit :count::integer;

-- name: jobKeysMatching
-- A claimed job's row still says what it was before, so whether it runs is asked of its claim, and of its run whether that
-- has ended it.
select jobs.pk from stint.jobs
where jobs.pk = any(:pks::bigint[])
  and (:type::integer is null or jobs.type = :type::integer)
  and (:cancelled::smallint is null or jobs.cancelled = :cancelled::smallint)
  and (:key::text is null or jobs.key = :key::text)
  and (:branch::text is null or jobs.name = :branch::text
    or (jobs.name > :branch::text || '/' and jobs.name < :branch::text || '0'))
  and (:tasks::integer = 1 or jobs.options is null or jobs.options::json -> 'task' is null)
  and (:label_name::text is null or jobs.labels::json ->> :label_name::text = :label_value::text)
  and (:outcome::smallint is null or :outcome::smallint = case
    when exists (select from stint.runs where runs.job = jobs.pk and runs.ends = 1) then 0 else jobs.outcome end)
  and (:status::text is null or :status::text = case
    when jobs.state = 3 or exists (select from stint.runs where runs.job = jobs.pk and runs.ends = 1) then 'final'
    when jobs.state = 1 or exists (select from stint.claims where claims.job = jobs.pk) then 'running'
    else 'queued' end)
order by jobs.pk desc limit :limit::integer;
