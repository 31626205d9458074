-- name: jobKeys
-- These give row keys below one, the highest first. What they find is looked at by jobKeysMatching.
select pk from jobs where pk < :before order by pk desc limit :count;

-- name: jobKeysOfKey
select pk from jobs where key = :key and pk < :before order by pk desc limit :count;

-- name: jobKeysRunning
-- Held by a worker, or with an open attempt that no worker holds (state 1).
select pk from (select job as pk from claims where job < :before order by job desc limit :count)
union
select pk from (select pk from jobs where state = 1 and pk < :before order by pk desc limit :count)
order by pk desc limit :count;

-- name: jobKeysCancelled
select pk from jobs where cancelled = 1 and pk < :before order by pk desc limit :count;

-- name: jobKeysOfOutcome
-- The index leaves out those that have completed (0), which are nearly all.
select pk from jobs where outcome > 0 and outcome = :outcome and pk < :before order by pk desc limit :count;

-- name: queuedCount
-- Every job that is queued has a seat, or waits for others (phase 0).
select (select count(*) from (select 1 from ready limit :most)) + (select count(*) from (select 1 from delayed limit :most))
  + (select count(*) from (select 1 from gated limit :most))
  + (select count(*) from (select 1 from jobs where phase = 0 limit :most)) as count;

-- name: jobKeysQueued
select job as pk from ready where job < :before
union all select job from delayed where job < :before
union all select job from gated where job < :before
union all select pk from jobs where phase = 0 and pk < :before
order by pk desc limit :count;

-- name: branchCount
select (select count(*) from (select 1 from jobs where name = :branch order by pk limit :most)) + (
  select count(*) from (
    select 1 from jobs where name > :branch || '/' and name < :branch || '0' order by name limit :most
  )
) as count;

-- name: jobKeysOfBranch
select pk from jobs where name = :branch and pk < :before
union all
select pk from jobs where name > :branch || '/' and name < :branch || '0' and pk < :before
order by pk desc limit :count;

-- name: jobKeysMatching
-- A claimed job's row still says what it was before, so whether it runs is asked of its claim, and of its run whether that
-- has ended it.
select jobs.pk from json_each(:pks) as looked cross join jobs on jobs.pk = looked.value
where (:type is null or jobs.type = :type)
  and (:cancelled is null or jobs.cancelled = :cancelled)
  and (:key is null or jobs.key = :key)
  and (:branch is null or jobs.name = :branch or (jobs.name > :branch || '/' and jobs.name < :branch || '0'))
  and (:tasks = 1 or jobs.options is null or jobs.options -> 'task' is null)
  and (:label_name is null or exists (
    select 1 from json_each(jobs.labels) as label where label.key = :label_name and label.value = :label_value
  ))
  and (:outcome is null or :outcome = case
    when exists (select 1 from runs where runs.job = jobs.pk and runs.ends = 1) then 0 else jobs.outcome end)
  and (:status is null or :status = case
    when jobs.state = 3 or exists (select 1 from runs where runs.job = jobs.pk and runs.ends = 1) then 'final'
    when jobs.state = 1 or exists (select 1 from claims where claims.job = jobs.pk) then 'running'
    else 'queued' end)
order by jobs.pk desc limit :limit;
