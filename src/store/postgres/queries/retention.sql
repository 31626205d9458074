-- name: beginWalk
insert into stint.walks (kind, front, review_after) values (:kind, :front, 0) on conflict do nothing;

-- name: walkOf
-- Whoever walks holds the walk; others leave it to them.
select front, review_after, shortest_ms from stint.walks where kind = :kind for update skip locked;

-- name: saveWalk
update stint.walks set front = :front, review_after = :review_after::bigint, shortest_ms = :shortest_ms::bigint
where kind = :kind;

-- name: reviewWalks
-- One that somebody is about to begin, by the policies as they were, is met, too: an update would not see it.
insert into stint.walks (kind, front, review_after) select unnest(:kinds::smallint[]), :front, 0
on conflict (kind) do update set review_after = 0;

-- name: dueStretch
select pk, after, upto, made_at, due_at from stint.stretches where kind = :kind and due_at <= :now::bigint
order by due_at, pk limit 1 for update skip locked;

-- name: stretchOf
select pk, after, upto, made_at, due_at from stint.stretches where kind = :kind and pk = :pk for update;

-- name: addStretch
insert into stint.stretches (kind, after, upto, made_at, due_at)
values (:kind, :after, :upto, :made_at, :due_at::bigint) returning pk;

-- name: setStretchDue
update stint.stretches set due_at = :due_at::bigint where pk = :pk;

-- name: removeStretch
delete from stint.stretches where pk = :pk;

-- name: makeStretchesDue
-- One that somebody is at is waited for: what was decided there may be by the policies of before.
update stint.stretches set due_at = 0
where pk = any(array(
  select pk from stint.stretches where kind = :kind and pk > :after order by pk limit :limit
)) returning pk;

-- name: jobsToWalkOver
select pk, created_at as "createdAt" from stint.jobs where pk > :after::bigint order by pk limit :limit;

-- name: agedJobs
-- Nearly all jobs are ended by a run, and their rows know nothing of it. The bounds are said twice: without them the planner
-- may read all runs to find these.
select jobs.pk, jobs.name, jobs.group_id,
  case when ended.job is not null then ended.finished_at when jobs.phase = 4 then jobs.finished_at end as ended_at
from stint.jobs
left join stint.runs as ended on ended.job = jobs.pk and ended.ends = 1
  and ended.job > :after::bigint and ended.job <= :upto::bigint
where jobs.pk > :after::bigint and jobs.pk <= :upto::bigint order by jobs.pk;

-- name: agedPastJobs
select pk, name, ended_at as "endedAt" from stint.past_jobs
where pk > :after::bigint and pk <= :upto::bigint and body is not null order by pk;

-- name: lockOldJobs
-- In the order of pk, as all locks are taken; those that somebody is at are left for later, so that nobody is waited for.
select pk from stint.jobs where pk = any(:pks::bigint[]) order by pk for update skip locked;

-- name: unneededJobs
select old.pk from unnest(:pks::bigint[]) as old(pk)
where not exists (select from stint.waits where waits.on_job = old.pk)
  -- Its value goes into the params of a job that still waits for others (phase 0).
  and not exists (
    select from stint.needs join stint.jobs on jobs.pk = needs.job and jobs.phase = 0 where needs.on_job = old.pk
  )
  and not exists (select from stint.follow_ups where follow_ups.job = old.pk)
  and not exists (
    select from stint.jobs where jobs.parent = old.pk and jobs.phase <> 4
      and not exists (select from stint.runs where runs.job = jobs.pk and runs.ends = 1)
  )
  -- The states of tasks are needed until their job is over (phase 4).
  and not exists (
    select from stint.jobs as task join stint.sharded on sharded.job = task.parent
    join stint.jobs as whole on whole.pk = sharded.job and whole.phase <> 4
    where task.pk = old.pk
  );

-- name: pruneJobs
with left_jobs as (
  delete from stint.jobs where pk = any(:pks::bigint[])
  returning pk, id, namespace, name, type, outcome, finished_at, created_at, cancelled, labels, template_id, schedule_id,
    group_id, params, made_row, start_row
),
no_progress as (
  delete from stint.progress where job = any(:pks::bigint[])
),
no_checkpoints as (
  delete from stint.checkpoints where job = any(:pks::bigint[])
),
no_sharded as (
  delete from stint.sharded where job = any(:pks::bigint[])
),
no_shards as (
  delete from stint.shards where job = any(:pks::bigint[])
),
no_endpoints as (
  delete from stint.endpoints where job = any(:pks::bigint[])
),
no_members as (
  -- Their groups are over, or they would not leave.
  delete from stint.members where job = any(:pks::bigint[])
)
insert into stint.past_jobs (pk, id, namespace, name, type, outcome, ended_at, body, log_rows)
select left_jobs.pk, id, namespace, name, type, case when ended.job is not null then ended.status else outcome end,
  coalesce(ended.finished_at, left_jobs.finished_at),
  json_build_object(
    'createdAt', created_at, 'cancelled', cancelled, 'labels', labels::json, 'templateId', template_id,
    'scheduleId', schedule_id, 'groupId', group_id, 'params', params
  )::text,
  array_remove(array[left_jobs.made_row, left_jobs.start_row, ended.start_row, ended.end_row], null)
from left_jobs
left join stint.runs as ended on ended.job = left_jobs.pk and ended.ends = 1 and ended.job = any(:pks::bigint[]);

-- name: removeLogLines
delete from stint.run_logs where ctid = any(array(
  select ctid from stint.run_logs where job = any(:pks::bigint[]) limit :limit
)) returning job;

-- name: removeRuns
delete from stint.runs where job = any(:pks::bigint[]);

-- name: emptyPastJobs
-- While the log has entries of a job, they need its id.
update stint.past_jobs set body = null where pk = any(:pks::bigint[]);

-- name: removePastJobs
delete from stint.past_jobs where pk = any(:pks::bigint[]) and body is null
  and not exists (select from stint.events where events.job = past_jobs.pk)
  and not exists (
    select from stint.events
    where events.jobs is not null and events.log_id = any(past_jobs.log_rows) and past_jobs.pk = any(events.jobs)
  );

-- name: pastJobsByKey
select past_jobs.pk, past_jobs.id, past_jobs.namespace, past_jobs.name, past_jobs.outcome, past_jobs.ended_at, past_jobs.body,
  types.name as type_name
from stint.past_jobs join stint.types on types.id = past_jobs.type where past_jobs.pk = any(:pks::bigint[]);

-- name: pastKeys
-- The newest, should an id have been used again.
select coalesce(
  (select max(pk) from stint.past_jobs where past_jobs.id = wanted.id),
  (select max(pk) from stint.past_jobs where past_jobs.name = wanted.name)
) as pk
from unnest(:ids::uuid[], :names::text[]) with ordinality as wanted(id, name, nth) order by nth;

-- name: anyKeyOfId
-- Of a job, or of one that was pruned.
select coalesce(
  (select pk from stint.jobs where id = :id::uuid), (select max(pk) from stint.past_jobs where id = :id::uuid)
) as pk;
