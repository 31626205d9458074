-- name: removeShards
delete from stint.shards where job = :job::bigint;

-- name: beginShards
insert into stint.sharded (job, spec, total, adopted, opened, done, failed)
values (:job::bigint, :spec::text, 0, 0, 0, 0, 0)
on conflict (job) do update set spec = excluded.spec;

-- name: addShards
insert into stint.shards (job, idx, state, adopted)
select :job::bigint, idx, state, :adopted::smallint from unnest(:idx::integer[], :state::text[]) as given(idx, state)
on conflict (job, adopted, idx) do update set state = excluded.state;

-- name: sealShards
update stint.sharded set
  total = (select count(*) from stint.shards where shards.job = :job::bigint),
  adopted = (select count(*) from stint.shards where shards.job = :job::bigint and shards.adopted = 1)
where job = :job::bigint
returning job, spec, total, adopted, opened, done, failed;

-- name: countShards
update stint.sharded set done = done + :done::integer, failed = failed + :failed::integer where job = :job::bigint
returning job, spec, total, adopted, opened, done, failed;

-- name: openShards
with first as materialized (
  select idx from stint.shards where job = :job::bigint and adopted = 0 order by idx limit :count::integer
),
taken as (
  delete from stint.shards where job = :job::bigint and adopted = 0 and idx = any(array(select idx from first))
  returning idx, state
),
counted as (
  update stint.sharded set opened = opened + (select count(*) from first) where job = :job::bigint
)
select idx, state from taken;

-- name: shardedRow
select job, spec, total, adopted, opened, done, failed from stint.sharded where job = :job::bigint;

-- name: shardPage
select idx, state from stint.shards where job = :job::bigint and adopted = :adopted::smallint and idx >= :from::integer
order by idx limit :limit::integer;

-- name: shardedAudited
-- Counts anew what sharded jobs keep of their tasks. Outcomes are numbered as in encoding.ts.
select sharded.job, sharded.total, sharded.adopted, sharded.opened, sharded.done, sharded.failed,
  count(jobs.pk) as tasks_opened,
  count(*) filter (where jobs.phase = 4 and jobs.cancelled = 0 and jobs.outcome = 0) as tasks_done,
  count(*) filter (where jobs.phase = 4 and not (jobs.cancelled = 0 and jobs.outcome = 0)) as tasks_failed
from stint.sharded
left join stint.jobs on jobs.parent = sharded.job and jobs.parent is not null and jobs.options::json -> 'task' is not null
where sharded.job = any(:pks::bigint[])
group by sharded.job;
