-- name: removeShards
delete from shards where job = :job;

-- name: beginShards
insert into sharded (job, spec, total, adopted, opened, done, failed) values (:job, :spec, 0, 0, 0, 0, 0)
on conflict (job) do update set spec = excluded.spec;

-- name: addShards
-- An object of states by index. The condition says where the list ends and the conflict begins.
insert into shards (job, idx, state, adopted)
select :job, cast(key as integer), atom, :adopted from json_each(:states) where true
on conflict (job, adopted, idx) do update set state = excluded.state;

-- name: sealShards
update sharded set
  total = (select count(*) from shards where shards.job = sharded.job),
  adopted = (select count(*) from shards where shards.job = sharded.job and shards.adopted = 1)
where job = :job
returning job, spec, total, adopted, opened, done, failed;

-- name: countShards
update sharded set done = done + :done, failed = failed + :failed where job = :job
returning job, spec, total, adopted, opened, done, failed;

-- name: openShards
delete from shards where job = :job and adopted = 0 and idx in (
  select idx from shards where job = :job and adopted = 0 order by idx limit :count
)
returning idx, state;

-- name: firstShards
-- How many of the first shards can become tasks, and the indexes of the first and the last of them.
select count(*) as count, min(idx) as first_idx, max(idx) as last_idx
from (select idx from shards where job = :job and adopted = 0 order by idx limit :most);

-- name: lastBeforeGap
select idx from shards where job = :job and adopted = 0 and idx >= :first_idx and not exists (
  select 1 from shards as following
  where following.job = shards.job and following.adopted = 0 and following.idx = shards.idx + 1
) order by idx limit 1;

-- name: insertTaskNames
insert into names (name, job) select name, pk from jobs where pk between :first and :last on conflict do nothing;

-- name: removeTaskNames
delete from names where job between :first and :last and name in (
  select name from jobs where pk between :first and :last
);

-- name: removeTasks
delete from jobs where pk between :first and :last;

-- name: insertTasks
-- The first shards, whose indexes follow each other, become tasks without their states leaving the database. State 0 is initial,
-- phase 1 is queued.
insert into jobs (
  pk, id, revision, released, name, namespace, type, version, state, phase, priority, position, attempt, charged,
  cancelled, scheduled_for, created_at, queued_at, updated_at, options, params_digest, params, trace_parent, parent,
  parent_attempt
)
select :first + idx - :first_idx, printf('%s%05x%s', :id_before, idx, :id_after), 1, 0, :name_before || idx, :namespace, :type, 1,
  0, 1, :priority, 100 * (:first + idx - :first_idx), 0, 0, 0, :now, :now, :now, :now,
  :options_before || idx || :options_after, digest_of(state), state, :trace_parent, :parent, :parent_attempt
from shards where job = :parent and adopted = 0 and idx <= :last_idx order by idx;

-- name: insertTaskEvents
-- Behind its name stands the index of a task.
insert into events (job, version, code, occurred_at, received_at, namespace, cause, attributes)
select pk, 1, 1, :now, :now, namespace, :task_cause,
  '{"name":' || :json_name_before || idx || '","paramsDigest":"' || params_digest || '",' || :attributes_before || idx
    || :attributes_after
from (
  select pk, namespace, params_digest, substr(name, length(:name_before) + 1) as idx from jobs
  where pk between :first and :last order by pk
);

-- name: removeFirstShards
delete from shards where job = :parent and adopted = 0 and idx <= :last_idx;

-- name: shardsOpened
update sharded set opened = opened + :count where job = :job;

-- name: shardedRow
select job, spec, total, adopted, opened, done, failed from sharded where job = :job;

-- name: taskStates
-- What tasks came to, and nothing else of them: whoever puts the states of many together needs no more. Phase 4 is final,
-- outcome 0 is COMPLETED; a run that ends its job says so before the job's row does.
select jobs.id, coalesce(ended.result, jobs.result, jobs.params, 'null'),
  ended.job is not null or jobs.phase = 4 and jobs.outcome = 0,
  coalesce(jobs.error, json_extract(jobs.detail, '$.slices.error'))
from jobs left join runs as ended on ended.job = jobs.pk and ended.ends = 1
where jobs.id between :first and :last order by jobs.id;

-- name: shardPage
select idx, state from shards where job = :job and adopted = :adopted and idx >= :from order by idx limit :limit;

-- name: shardedAudited
-- Counts anew what sharded jobs keep of their tasks. Outcomes are numbered as in encoding.ts.
select sharded.job, sharded.total, sharded.adopted, sharded.opened, sharded.done, sharded.failed,
  count(jobs.pk) as tasks_opened,
  count(*) filter (where ended.job is not null or jobs.phase = 4 and jobs.cancelled = 0 and jobs.outcome = 0) as tasks_done,
  count(*) filter (where jobs.phase = 4 and not (jobs.cancelled = 0 and jobs.outcome = 0)) as tasks_failed
from sharded
left join jobs on jobs.parent = sharded.job and jobs.parent is not null and json_extract(jobs.options, '$.task') is not null
left join runs as ended on ended.job = jobs.pk and ended.ends = 1
where sharded.job in (select value from json_each(:pks))
group by sharded.job;
