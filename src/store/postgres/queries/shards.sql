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

-- name: openTasks
-- Makes tasks of the first shards that are none yet, without their states leaving the server. One whose name is taken is left
-- out, and so is what would follow from it. The UUID is that of task-id.ts and the digest that of digest.ts. State 0 is initial,
-- phase 1 is queued.
-- returns: idx integer, state text
with first as materialized (
  select idx from stint.shards where job = :parent::bigint and adopted = 0 order by idx limit :count::integer
),
taken as materialized (
  delete from stint.shards where job = :parent::bigint and adopted = 0 and idx = any(array(select idx from first))
  returning idx, state
),
counted as (
  update stint.sharded set opened = opened + (select count(*) from first) where job = :parent::bigint
),
given as materialized (
  select nextval('stint.pks') as pk, idx, state, :name_before::text || idx as name,
    translate(left(encode(sha256(convert_to(state, 'UTF8')), 'base64'), 22), '+/', '-_') as digest,
    sha256(convert_to(:of::text || ' task ' || idx, 'UTF8')) as seed
  from (select idx, state from taken order by idx offset 0) as shard
),
named as (
  -- By name: two transactions that want the same names meet them in the same order.
  insert into stint.names (name, job) select name, pk from given order by name on conflict do nothing returning job
),
free as materialized (
  -- Not as a condition that could become a join: row by row, a thousand of them are a million.
  select * from given where (pk in (select job from named)) is true
),
made as (
  insert into stint.jobs (
    pk, id, revision, released, name, namespace, type, version, state, phase, priority, position, attempt, charged,
    cancelled, scheduled_for, created_at, queued_at, updated_at, options, params_digest, params, trace_parent, parent,
    parent_attempt
  )
  select pk, encode(substr(set_byte(set_byte(seed, 6, get_byte(seed, 6) & 15 | 128), 8, get_byte(seed, 8) & 63 | 128), 1, 16),
      'hex')::uuid,
    1, 0, name, :namespace::text, :type::integer, 1, 0, 1, :priority::integer, 100 * pk, 0, 0, 0,
    :now::bigint, :now::bigint, :now::bigint, :now::bigint, :options_before::text || idx || :options_after::text,
    digest, state, :trace_parent::text, :parent::bigint, :parent_attempt::integer
  from free
),
ready as (
  insert into stint.ready (lane, priority, position, job, revision, namespace)
  select 2 * :type::integer, :priority::integer, 100 * pk, pk, 1, :namespace::text from free
),
events as (
  insert into stint.events (tx, job, version, code, occurred_at, received_at, namespace, cause, attributes)
  select (select stint.log_position(:tx_offset::bigint)), pk, 1, 1, :now::bigint, :now::bigint, :namespace::text,
    :cause::text, '{"name":' || :json_name_before::text || idx || '","paramsDigest":"' || digest || '",'
      || :attributes_before::text || idx || :attributes_after::text
  from free
)
select idx, state from given where (pk in (select job from named)) is not true order by idx;

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
