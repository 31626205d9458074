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

-- name: insertTasks
-- Tasks of a sharded job. One whose name is taken is left out, and so is what would follow from it. State 0 is initial, phase 1
-- is queued.
-- returns: idx integer
-- plans: hash joins
with given as materialized (
  select nextval('stint.pks') as pk, :name_before::text || idx as name, g.*
  from unnest(:idx::integer[], :id::uuid[], :params::text[], :params_digest::text[]) as g(idx, id, params, params_digest)
),
named as (
  -- By name: two transactions that want the same names meet them in the same order.
  insert into stint.names (name, job) select name, pk from given order by name on conflict do nothing returning job
),
free as materialized (
  select given.* from given join named on named.job = given.pk order by pk
),
made as (
  insert into stint.jobs (
    pk, id, revision, released, name, namespace, type, version, state, phase, priority, position, attempt, charged,
    cancelled, scheduled_for, created_at, queued_at, updated_at, options, params_digest, params, trace_parent, parent,
    parent_attempt
  )
  select pk, id, 1, 0, name, :namespace::text, :type::integer, 1, 0, 1, :priority::integer, 100 * pk, 0, 0, 0,
    :now::bigint, :now::bigint, :now::bigint, :now::bigint, :options_before::text || idx || :options_after::text,
    params_digest, params, :trace_parent::text, :parent::bigint, :parent_attempt::integer
  from free
),
ready as (
  insert into stint.ready (lane, priority, position, job, revision, namespace)
  select 2 * :type::integer, :priority::integer, 100 * pk, pk, 1, :namespace::text from free
),
events as (
  insert into stint.events (tx, job, version, code, occurred_at, received_at, namespace, cause, attributes)
  select (select stint.log_position(:tx_offset::bigint)), pk, 1, 1, :now::bigint, :now::bigint, :namespace::text,
    :cause::text, '{"name":' || :json_name_before::text || idx || '","paramsDigest":"' || params_digest || '",'
      || :attributes_before::text || idx || :attributes_after::text
  from free
)
select idx from free;

-- name: shardedRow
select job, spec, total, adopted, opened, done, failed from stint.sharded where job = :job::bigint;

-- name: shardPage
select idx, state from stint.shards where job = :job::bigint and adopted = :adopted::smallint and idx >= :from::integer
order by idx limit :limit::integer;

-- name: shardedAudited
-- Counts anew what sharded jobs keep of their tasks. Outcomes are numbered as in encoding.ts.
select sharded.job, sharded.total, sharded.adopted, sharded.opened, sharded.done, sharded.failed,
  count(jobs.pk) as tasks_opened,
  count(*) filter (where ended.job is not null or jobs.phase = 4 and jobs.cancelled = 0 and jobs.outcome = 0) as tasks_done,
  count(*) filter (where jobs.phase = 4 and not (jobs.cancelled = 0 and jobs.outcome = 0)) as tasks_failed
from stint.sharded
left join stint.jobs on jobs.parent = sharded.job and jobs.parent is not null and jobs.options::json -> 'task' is not null
left join stint.runs as ended on ended.job = jobs.pk and ended.ends = 1
where sharded.job = any(:pks::bigint[])
group by sharded.job;
