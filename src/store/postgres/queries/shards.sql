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
-- Makes tasks of the first shards that are none yet, at most as many as a row of the log stands for (1024), without their states
-- leaving the server. With `start` they begin at once, as a claim of the worker would let them, and all are answered: what was never
-- ready needs no seat, and what was just made is not read. One whose name is taken is left out, and so is what would follow from it: it
-- is answered without a pk. The UUID is that of task-id.ts and the digest that of digest.ts. State 0 is initial, phase 1 is queued.
-- returns: idx integer, state text, pk bigint, id uuid, name text, digest text
with first as materialized (
  -- Shards become tasks in order, so none before the number of those that have can be left: a walk over all that were deleted
  -- before would be longer for each.
  select idx from stint.shards where job = :parent::bigint and adopted = 0
    and idx >= (select opened from stint.sharded where job = :parent::bigint)
  order by idx limit :count::integer
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
    (:id_before::text || lpad(to_hex(idx), 5, '0') || :id_after::text)::uuid as id,
    translate(left(encode(sha256(convert_to(state, 'UTF8')), 'base64'), 22), '+/', '-_') as digest
  from (select idx, state from taken order by idx offset 0) as shard
),
-- Looked for, and not met by chance: a name that is written as if it may be taken costs half again as much. One that is taken after
-- this look fails it all, and the next look sees it.
held as materialized (
  select name from stint.names where name = any(array(select name from given))
),
free as materialized (
  -- Not as a condition that could become a join: row by row, a thousand of them are a million.
  select * from given where (name in (select name from held)) is not true
),
named as (
  -- By name: two transactions that want the same names meet them in the same order.
  insert into stint.names (name, job) select name, pk from free order by name
),
batch as (
  insert into stint.events (
    tx, version, code, occurred_at, received_at, namespace, cause, attributes, size, jobs, details
  )
  select stint.log_position(:tx_offset::bigint), 1, 1, :now::bigint, :now::bigint, '', :task_cause::text, '{}', size, jobs, details
  from (
    select count(*) as size, array_agg(pk) as jobs, array_agg(
      '{"name":' || :json_name_before::text || idx || '","paramsDigest":"' || digest || '",' || :attributes_before::text || idx
        || :attributes_after::text
    ) as details
    from free
  ) as together
  where size > 0
  returning log_id
),
made as (
  insert into stint.jobs (
    pk, id, revision, released, name, namespace, type, version, state, phase, priority, position, attempt, charged,
    cancelled, scheduled_for, created_at, queued_at, updated_at, options, params_digest, params, trace_parent, parent,
    parent_attempt, made_row
  )
  select pk, id, 1, 0, name, :namespace::text, :type::integer, 1, 0, 1, :priority::integer, 100 * pk, 0, 0, 0,
    :now::bigint, :now::bigint, :now::bigint, :now::bigint, :options_before::text || idx || :options_after::text,
    digest, state, :trace_parent::text, :parent::bigint, :parent_attempt::integer, (select log_id from batch)
  from free
),
ready as (
  insert into stint.ready (lane, priority, position, job, revision, namespace, since, timeout_ms)
  select 2 * :type::integer, :priority::integer, 100 * pk, pk, 1, :namespace::text, :now::bigint, :timeout_ms::bigint from free
  where not :start::boolean
),
started as (
  insert into stint.events (
    tx, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes, size, jobs
  )
  select stint.log_position(:tx_offset::bigint), 2, 4, :now::bigint, :now::bigint, '', :worker_actor::text, :worker_cause::text,
    :worker_execution::text, :worker_trace::text, :worker_span::text, '{"attempt":1,"token":"' || :token::text || '","workerId":"'
      || :worker_id::text || '","attemptDeadlineAt":' || 'null}', size, jobs
  -- They were made before they started: the log has the batches in this order.
  from batch cross join (select count(*) as size, array_agg(pk) as jobs from free) as together
  where :start::boolean
  returning log_id
),
claimed as (
  insert into stint.claims (job, revision, started_at, token, worker_id, start_row)
  select pk, 2, :now::bigint, :token::text, :worker_id::text, (select log_id from started) from free where :start::boolean
)
select idx, state, case when (name in (select name from held)) is true then null else pk end, id, name, digest from given
where :start::boolean or (name in (select name from held)) is true order by idx;

-- name: endTasks
-- The ends of tasks of one sharded job, and for how many more there is room then. It does nothing, and says so by no row, when the job
-- is not as it was read, or when these may be its last tasks: then more follows, which is for the decider. The job is held first:
-- whoever cancels it at this moment comes before, and finds no more tasks made, or after, and finds all. How many are made is what
-- `shardStep` says; if there is room for more than one row of the log stands for, the next end sees to the rest.
-- program
-- returns: now bigint, written bigint[], room integer
declare
  split stint.sharded%rowtype;
  ended record;
begin
  perform from stint.jobs where pk = :parent::bigint and revision = :parent_revision::integer for no key update;
  if not found then return; end if;
  select * into split from stint.sharded where job = :parent::bigint;
  if split.adopted + split.done + split.failed + cardinality(:pk::bigint[]) >= split.total then return; end if;
  select * into ended from {completePlainJobs with_awaited=false};
  if :has_deadlines::boolean then
    delete from stint.deadlines where job = any(ended.written);
  end if;
  update stint.sharded set done = done + cardinality(ended.written) where job = :parent::bigint returning * into split;
  return query select ended.now, ended.written, greatest(0, least(
    split.total - split.adopted - split.opened, :width::integer - split.opened + split.done + split.failed, 1024
  ));
end

-- name: completeTasks
-- The ends of tasks of one sharded job, and the next tasks, in one call, which is a transaction of its own.
-- program
-- returns: now bigint, written bigint[]
declare
  ended record;
begin
  select * into ended from {endTasks};
  if not found then return; end if;
  if ended.room > 0 and exists (select from {openTasks count=ended.room now=ended.now start=false token=null worker_id=null worker_actor=null worker_cause=null worker_execution=null worker_trace=null worker_span=null}) then
    raise exception 'stint: the name of a task is taken' using errcode = 'unique_violation';
  end if;
  return query select ended.now, ended.written;
end

-- name: completeTasksAndClaim
-- The same and then a claim by a worker that waits for tasks, nearly always the one that ran these, in one transaction: where all that
-- may be there at once are run together, the next ones begin after one round trip and one flush to the disk in place of two. Where
-- nothing else is ready for the worker, and nothing is in the way of a claim, what it would take are the next tasks: they are made as
-- started. Where others take such tasks, too, a quarter is left to whoever comes first, and the rest of a claim is made apart: what one
-- worker makes and takes at once, no other would ever see. The first row says what was written, and how many were left; no row, that
-- nothing was. As in `insertAndClaim`, somebody in the way must not hold up the worker.
-- program
-- returns: pk bigint, id uuid, name text, namespace text, type integer, priority integer, created_at bigint, params_digest text,
-- returns: params text, claim_started_at bigint, rest text
declare
  flushed text := current_setting('synchronous_commit');
  worker_actor text := :worker_actor::text;
  worker_cause text := :worker_cause::text;
  worker_execution text := :worker_execution::text;
  worker_trace text := :worker_trace::text;
  worker_span text := :worker_span::text;
  ended record;
  starting integer := 0;
  made integer := 0;
  ready integer;
  are_shared boolean;
begin
  perform set_config('lock_timeout', '100', true);
  perform pg_advisory_xact_lock_shared(1937010292, :barrier::integer);
  select * into ended from {endTasks};
  if not found then return; end if;
  are_shared := exists (
    select from stint.workers where id <> :worker_id::text and lost_at is null and lease_until > ended.now
      and jsonb_exists(types::jsonb, (select name from stint.types where id = :type::integer))
  );
  if 2 * :type::integer = any(:plain_lanes::integer[]) and num_nonnulls(:timeout_ms::bigint, :trace_parent::text) = 0
    and not exists (select from stint.ready where lane = any(:plain_lanes::integer[]))
    and (select may_claim from {mayClaimFirst now=ended.now})
  then
    starting := least(case when are_shared then ended.room * 3 / 4 else ended.room end, :limit::integer);
  end if;
  ready := ended.room - starting;
  return query select null::bigint, null::uuid, null, null, null::integer, case when starting > 0 or are_shared then ready else 0 end,
    ended.now, null, null, null::bigint, to_json(ended.written)::text;
  if starting > 0 then
    return query select task.pk, task.id, task.name, :namespace::text, :type::integer, :priority::integer, ended.now, task.digest,
      task.state, ended.now, :options_before::text || task.idx || :options_after::text
    from (select * from {openTasks count=starting now=ended.now start=true}) as task where task.pk is not null;
    get diagnostics made = row_count;
  end if;
  if made < starting or ready > 0 and exists (select from {openTasks count=ready now=ended.now start=false}) then
    raise exception 'stint: the name of a task is taken' using errcode = 'unique_violation';
  end if;
  if starting = 0 and not are_shared then
    return query select * from {claimFirstJobs actor=worker_actor cause=worker_cause execution_id=worker_execution trace_id=worker_trace span_id=worker_span};
    -- A claim that finds nothing waits for no disk. What was written does.
    perform set_config('synchronous_commit', flushed, true);
  end if;
end

-- name: shardedRow
select job, spec, total, adopted, opened, done, failed from stint.sharded where job = :job::bigint;

-- name: taskStates
-- What tasks came to, and nothing else of them: whoever puts the states of many together needs no more. Their UUIDs are those of
-- task-id.ts, one behind the other. Phase 4 is final, outcome 0 is COMPLETED; a run that ends its job says so before the job's row does.
-- returns: idx integer, state text, done integer, error text
with task as materialized (
  select pk, id::text as id, phase, outcome, params, result, error, detail from stint.jobs
  where jobs.id between (:id_before::text || lpad(to_hex(:from::integer), 5, '0') || :id_after::text)::uuid
    and (:id_before::text || lpad(to_hex(:last::integer), 5, '0') || :id_after::text)::uuid
)
select ('x' || substr(task.id, length(:id_before::text) + 1, 5))::bit(20)::integer, coalesce(ended.result, task.result, task.params, 'null'),
  case when ended.job is not null or task.phase = 4 and task.outcome = 0 then 1 else 0 end,
  coalesce(task.error, task.detail::json -> 'slices' ->> 'error')
from task
left join lateral (
  select runs.job, runs.result from stint.runs where runs.job = task.pk and runs.ends = 1 offset 0
) as ended on true
where task.id like :id_before::text || '%' || :id_after::text;

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
