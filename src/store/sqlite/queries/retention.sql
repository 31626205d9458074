-- name: beginWalk
insert into walks (kind, front, review_after) values (:kind, :front, 0) on conflict do nothing;

-- name: walkOf
select front, review_after, shortest_ms from walks where kind = :kind;

-- name: saveWalk
update walks set front = :front, review_after = :review_after, shortest_ms = :shortest_ms where kind = :kind;

-- name: reviewWalks
update walks set review_after = 0;

-- name: dueStretch
select pk, after, upto, made_at, due_at from stretches where kind = :kind and due_at <= :now order by due_at, pk limit 1;

-- name: stretchOf
select pk, after, upto, made_at, due_at from stretches where kind = :kind and pk = :pk;

-- name: addStretch
insert into stretches (kind, after, upto, made_at, due_at) values (:kind, :after, :upto, :made_at, :due_at) returning pk;

-- name: setStretchDue
update stretches set due_at = :due_at where pk = :pk;

-- name: removeStretch
delete from stretches where pk = :pk;

-- name: makeStretchesDue
update stretches set due_at = 0
where pk in (select pk from stretches where kind = :kind and pk > :after order by pk limit :limit) returning pk;

-- name: jobsToWalkOver
select pk, created_at as createdAt from jobs where pk > :after order by pk limit :limit;

-- name: agedJobs
-- Nearly all jobs are ended by a run, and their rows know nothing of it.
select jobs.pk, jobs.name, jobs.group_id,
  case when ended.job is not null then ended.finished_at when jobs.phase = 4 then jobs.finished_at end as ended_at
from jobs left join runs as ended on ended.job = jobs.pk and ended.ends = 1
where jobs.pk > :after and jobs.pk <= :upto order by jobs.pk;

-- name: agedPastJobs
select pk, name, ended_at as endedAt from past_jobs
where pk > :after and pk <= :upto and body is not null order by pk;

-- name: unneededJobs
select value as pk from json_each(:pks) as old
where not exists (select 1 from waits where waits.on_job = old.value)
  -- Its value goes into the params of a job that still waits for others (phase 0).
  and not exists (select 1 from needs join jobs on jobs.pk = needs.job and jobs.phase = 0 where needs.on_job = old.value)
  and not exists (select 1 from follow_ups where follow_ups.job = old.value)
  and not exists (
    select 1 from jobs where jobs.parent = old.value and jobs.phase <> 4
      and not exists (select 1 from runs where runs.job = jobs.pk and runs.ends = 1)
  )
  -- The states of tasks are needed until their job is over (phase 4).
  and not exists (
    select 1 from jobs as task join sharded on sharded.job = task.parent
    join jobs as whole on whole.pk = sharded.job and whole.phase <> 4
    where task.pk = old.value
  );

-- name: insertPastJobs
insert into past_jobs (pk, id, namespace, name, type, outcome, ended_at, body)
select jobs.pk, jobs.id, jobs.namespace, jobs.name, jobs.type,
  case when ended.job is not null then ended.status else jobs.outcome end,
  coalesce(ended.finished_at, jobs.finished_at),
  json_object(
    'createdAt', jobs.created_at, 'cancelled', jobs.cancelled, 'labels', json(jobs.labels), 'templateId', jobs.template_id,
    'scheduleId', jobs.schedule_id, 'groupId', jobs.group_id, 'params', jobs.params
  )
from json_each(:pks) as old join jobs on jobs.pk = old.value
left join runs as ended on ended.job = jobs.pk and ended.ends = 1;

-- name: removeProgressOf
delete from progress where job in (select value from json_each(:pks));

-- name: removeCheckpointsOf
delete from checkpoints where job in (select value from json_each(:pks));

-- name: removeShardedOf
delete from sharded where job in (select value from json_each(:pks));

-- name: removeShardsOf
delete from shards where job in (select value from json_each(:pks));

-- name: removeEndpointsOf
delete from endpoints where job in (select value from json_each(:pks));

-- name: removeMembersOf
-- Their groups are over, or they would not leave.
delete from members where job in (select value from json_each(:pks));

-- name: removeJobs
delete from jobs where pk in (select value from json_each(:pks));

-- name: removeLogLines
delete from run_logs where (job, attempt, seq) in (
  select run_logs.job, run_logs.attempt, run_logs.seq
  from json_each(:pks) as old join run_logs on run_logs.job = old.value limit :limit
);

-- name: keepRows
-- Entries of the log to which these runs lead, as long as they are there.
insert into event_rows (job, log_id)
select runs.job, events.log_id from json_each(:pks) as old
cross join runs on runs.job = old.value
cross join events on events.log_id in (runs.start_row, runs.end_row);

-- name: removeRuns
delete from runs where job in (select value from json_each(:pks));

-- name: emptyPastJobs
-- While the log has entries of a job, they need its id.
update past_jobs set body = null where pk in (select value from json_each(:pks));

-- name: removePastJobs
delete from past_jobs where pk in (select value from json_each(:pks)) and body is null
  and not exists (select 1 from events where events.job = past_jobs.pk and events.led_to is null)
  and not exists (select 1 from event_rows where event_rows.job = past_jobs.pk);

-- name: pastJobsByKey
select past_jobs.pk, past_jobs.id, past_jobs.namespace, past_jobs.name, past_jobs.outcome, past_jobs.ended_at, past_jobs.body,
  types.name as type_name
from json_each(:pks) as wanted join past_jobs on past_jobs.pk = wanted.value join types on types.id = past_jobs.type;

-- name: pastKeyOfName
select max(pk) as pk from past_jobs where name = :name;

-- name: pastKeyOfId
-- The newest, should an id have been used again.
select max(pk) as pk from past_jobs where id = :id;

-- name: anyKeyOfId
-- Of a job, or of one that was pruned.
select coalesce((select pk from jobs where id = :id), (select max(pk) from past_jobs where id = :id)) as pk;
