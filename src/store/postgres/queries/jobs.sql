-- name: begin
-- The transaction and the database's time in one round trip. The simple protocol takes all; it takes no parameters. A
-- process that is suspended or busy within a transaction would keep its locks for as long, and nobody could rescue its
-- jobs: the server ends it, and who wakes up tries again. Compiling a statement takes longer than running any of ours.
begin; set local idle_in_transaction_session_timeout = '5s'; set local jit = off;
select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now;

-- name: beginRead
-- The server ends what stays open for no reason: readers of the log wait for every transaction that began before.
begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = '5s';

-- name: beginLook
-- For reads that stop when they have enough. The planner cannot know how soon that is: along an index they stop there, and
-- whatever reads all that fits first and sorts it does not. Compiling takes longer than they do.
begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = '5s';
set local enable_bitmapscan = off; set local enable_seqscan = off; set local jit = off;

-- name: databaseTime
select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now;

-- name: reserveKeys
select nextval('stint.pks') as pk from generate_series(1, :count::integer);

-- name: addTypes
-- In order, so that two processes that add the same types cannot wait for each other.
insert into stint.types (name) select name from unnest(:names::text[]) as t(name) order by name on conflict do nothing;

-- name: typeIds
select id, name from stint.types where name = any(:names::text[]);

-- name: jobsFound
-- Jobs with their claims and the runs that ended them. Each column is named: a later version may add some while this one works.
-- returns: pk bigint, id uuid, revision integer, released bigint, name text, namespace text, type integer, key text,
-- returns: version integer, state smallint, phase smallint, priority integer, position bigint, attempt integer, charged integer,
-- returns: cancelled smallint, outcome smallint, scheduled_for bigint, expires_at bigint, deadline_at bigint,
-- returns: attempt_deadline_at bigint, created_at bigint, queued_at bigint, started_at bigint, finished_at bigint,
-- returns: updated_at bigint, token text, worker_id text, template_id text, schedule_id text, group_id text, retry_of text,
-- returns: submitted_by text, labels text, options text, detail text, error text, params_digest text, result_digest text,
-- returns: params text, result text, parent bigint, parent_attempt integer, trace_parent text,
-- returns: type_name text, claim_revision integer, claim_started_at bigint, claim_deadline_at bigint, claim_token text,
-- returns: claim_worker_id text, end_token text, end_worker_id text, end_started_at bigint, end_finished_at bigint,
-- returns: end_result_digest text, end_result text
select jobs.pk, jobs.id, jobs.revision, jobs.released, jobs.name, jobs.namespace, jobs.type, jobs.key, jobs.version, jobs.state,
  jobs.phase, jobs.priority, jobs.position, jobs.attempt, jobs.charged, jobs.cancelled, jobs.outcome, jobs.scheduled_for,
  jobs.expires_at, jobs.deadline_at, jobs.attempt_deadline_at, jobs.created_at, jobs.queued_at, jobs.started_at, jobs.finished_at,
  jobs.updated_at, jobs.token, jobs.worker_id, jobs.template_id, jobs.schedule_id, jobs.group_id, jobs.retry_of, jobs.submitted_by,
  jobs.labels, jobs.options, jobs.detail, jobs.error, jobs.params_digest, jobs.result_digest, jobs.params, jobs.result, jobs.parent,
  jobs.parent_attempt, jobs.trace_parent, types.name as type_name,
  claims.revision as claim_revision, claims.started_at as claim_started_at, claims.deadline_at as claim_deadline_at,
  claims.token as claim_token, claims.worker_id as claim_worker_id,
  ended.token as end_token, ended.worker_id as end_worker_id, ended.started_at as end_started_at,
  ended.finished_at as end_finished_at, ended.result_digest as end_result_digest, ended.result as end_result
from stint.jobs
join stint.types on types.id = jobs.type
left join stint.claims on claims.job = jobs.pk
left join stint.runs as ended on ended.job = jobs.pk and ended.ends = 1
where jobs.pk = any(array(select pk from stint.jobs where id = any(:ids::uuid[])) || :pks::bigint[])
order by jobs.pk;

-- name: jobKeysByNames
-- The live job of a name, else the newest that had it.
select coalesce(
  (select job from stint.names where names.name = wanted.name),
  (select max(jobs.pk) from stint.jobs where jobs.name = wanted.name)
) as pk
from unnest(:names::text[]) as wanted(name);

-- name: holderKeys
select pk from stint.jobs where id = any(:ids::uuid[])
union
select job from stint.names where name = any(:names::text[])
union
select keys.job
from unnest(:namespaces::text[], :types::text[], :keys::text[]) as wanted(namespace, type, key)
join stint.types on types.name = wanted.type
join stint.keys on keys.namespace = wanted.namespace and keys.type = types.id and keys.key = wanted.key;

-- name: auditedKeysAfter
-- Jobs and groups (kind 3), whose keys are of the same numbers.
select pk from stint.jobs where pk > :after
union all
select pk from stint.records where kind = 3 and pk > :after
order by pk limit :limit;

-- name: lockJobs
-- All who lock jobs do it in the order of pk, so they cannot wait for each other in a circle.
select pk from stint.jobs where id = any(:ids::uuid[]) order by pk for no key update;

-- name: lockJobsShared
-- Others may do the same meanwhile. Whoever changes the job waits, or is waited for.
select from stint.jobs where id = any(:ids::uuid[]) order by pk for share;

-- name: havingChildren
-- Earlier attempts too: those that snoozed left their jobs alive.
select distinct jobs.parent as pk from unnest(:pks::bigint[], :attempts::integer[]) as wanted(pk, attempt)
join stint.jobs on jobs.parent = wanted.pk and jobs.parent_attempt <= wanted.attempt
where jobs.phase <> 4 and jobs.parent is not null
  and not exists (select from stint.runs where runs.job = jobs.pk and runs.ends = 1)
union
select records.parent from unnest(:pks::bigint[], :attempts::integer[]) as wanted(pk, attempt)
join stint.records on records.parent = wanted.pk and records.parent_attempt <= wanted.attempt
where records.parent is not null and records.released = 0;

-- name: childrenOf
select pk from stint.jobs
where parent = :pk and parent_attempt <= :attempt and parent is not null and phase <> 4 and pk > :after
  and not exists (select from stint.runs where runs.job = jobs.pk and runs.ends = 1)
union all
select pk from stint.records
where parent = :pk and parent_attempt <= :attempt and parent is not null and released = 0 and pk > :after
order by pk limit :limit;

-- name: liveBelowDown
-- What is below a name begins with it and a slash; the sign after the slash in the order of bytes is 0.
select job as pk from stint.names where name > :from::text and name < :name::text || '0' order by name limit :limit;

-- name: liveBelowUp
select job as pk from stint.names where name < :from::text and name > :name::text || '/'
order by name desc limit :limit;

-- name: lockJobsByKey
select pk from stint.jobs where pk = any(:pks::bigint[]) order by pk for no key update;

-- name: runsOfJobs
-- Without the result of the job, which may be large and is read with the job.
select job, attempt, status, reason, error, worker_id, started_at, finished_at, exit_code, artifacts, log_path
from stint.runs where job = any(:pks::bigint[]) order by job, attempt;

-- name: insertJobs
-- Creates jobs with all that belongs to them. One whose id, name or key is taken is left out, and so is what would follow
-- from it: everything else joins `made`. Of one that got its name but not the rest, `removeHandles` takes it back.
-- returns: pk bigint
with named as (
  insert into stint.names (name, job) select * from unnest(:handle_name::text[], :handle_job::bigint[])
  on conflict do nothing returning job
),
wanting_key as materialized (
  select wanted.* from unnest(:key_namespace::text[], :key_type::integer[], :key_key::text[], :key_job::bigint[])
    as wanted(namespace, type, key, job)
  join named on named.job = wanted.job
),
keyed as (
  -- In order, so that two transactions that want the same keys meet them in the same order.
  insert into stint.keys (namespace, type, key, job) select * from wanting_key order by namespace, type, key
  on conflict do nothing returning job
),
-- Those that got all they need, and those that hold nothing from the beginning.
allowed as materialized (
  select job from named where job not in (select job from wanting_key)
  union all select job from keyed
  union all select * from unnest(:handleless::bigint[])
),
made as (
  insert into stint.jobs (
    pk, id, revision, released, name, namespace, type, key, version, state, phase, priority, position, attempt, charged,
    cancelled, outcome, scheduled_for, expires_at, deadline_at, attempt_deadline_at, created_at, queued_at, started_at,
    finished_at, updated_at, token, worker_id, template_id, schedule_id, group_id, retry_of, submitted_by, labels, options,
    detail, error, params_digest, result_digest, params, result, parent, parent_attempt, trace_parent
  )
  select given.* from unnest(
    :pk::bigint[], :id::uuid[], :revision::integer[], :released::bigint[], :name::text[], :namespace::text[],
    :type::integer[], :key::text[], :version::integer[], :state::smallint[], :phase::smallint[], :priority::integer[],
    :position::bigint[], :attempt::integer[], :charged::integer[], :cancelled::smallint[], :outcome::smallint[],
    :scheduled_for::bigint[], :expires_at::bigint[], :deadline_at::bigint[], :attempt_deadline_at::bigint[],
    :created_at::bigint[], :queued_at::bigint[], :started_at::bigint[], :finished_at::bigint[], :updated_at::bigint[],
    :token::text[], :worker_id::text[], :template_id::text[], :schedule_id::text[], :group_id::text[], :retry_of::text[],
    :submitted_by::text[], :labels::text[], :options::text[], :detail::text[], :error::text[], :params_digest::text[],
    :result_digest::text[], :params::text[], :result::text[], :parent::bigint[], :parent_attempt::integer[],
    :trace_parent::text[]
  ) as given(pk)
  join allowed on allowed.job = given.pk
  on conflict do nothing
  returning pk
),
ready as (
  insert into stint.ready (lane, priority, position, job, revision, not_after, limited, namespace)
  select seat.* from unnest(
    :ready_lane::integer[], :ready_priority::integer[], :ready_position::bigint[], :ready_job::bigint[],
    :ready_revision::integer[], :ready_not_after::bigint[], :ready_limited::smallint[], :ready_namespace::text[]
  ) as seat(lane, priority, position, job, revision, not_after, limited, namespace)
  join made on made.pk = seat.job
),
delayed as (
  insert into stint.delayed (lane, priority, position, job, revision, not_after, limited, namespace, due_at)
  select seat.* from unnest(
    :delayed_lane::integer[], :delayed_priority::integer[], :delayed_position::bigint[], :delayed_job::bigint[],
    :delayed_revision::integer[], :delayed_not_after::bigint[], :delayed_limited::smallint[], :delayed_namespace::text[],
    :delayed_due_at::bigint[]
  ) as seat(lane, priority, position, job, revision, not_after, limited, namespace, due_at)
  join made on made.pk = seat.job
),
deadlines as (
  insert into stint.deadlines (job, at)
  select late.* from unnest(:late_job::bigint[], :late_at::bigint[]) as late(job, at) join made on made.pk = late.job
),
waits as (
  insert into stint.waits (job, on_job)
  select wait.* from unnest(:wait_job::bigint[], :wait_on_job::bigint[]) as wait(job, on_job)
  join made on made.pk = wait.job
),
runs as (
  insert into stint.runs (
    job, attempt, status, reason, error, worker_id, started_at, finished_at, exit_code, artifacts, log_path
  )
  select run.* from unnest(
    :run_job::bigint[], :run_attempt::integer[], :run_status::smallint[], :run_reason::text[], :run_error::text[],
    :run_worker_id::text[], :run_started_at::bigint[], :run_finished_at::bigint[], :run_exit_code::integer[],
    :run_artifacts::text[], :run_log_path::text[]
  ) as run(job, attempt, status, reason, error, worker_id, started_at, finished_at, exit_code, artifacts, log_path)
  join made on made.pk = run.job
),
events as (
  insert into stint.events (
    tx, received_at, job, version, code, occurred_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
  )
  select (select stint.log_position(:tx_offset::bigint)), :now::bigint, event.* from unnest(
    :event_job::bigint[], :event_version::integer[], :event_code::smallint[], :event_occurred_at::bigint[],
    :event_namespace::text[], :event_actor::text[], :event_cause::text[], :event_execution_id::text[],
    :event_trace_id::text[], :event_span_id::text[], :event_attributes::text[]
  ) as event(
    job, version, code, occurred_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
  )
  join made on made.pk = event.job
  -- A join may turn the order around, and ids are given in the order in which rows come.
  order by event.job, event.version
)
select pk from made;

-- name: insertPlainJobs
-- Plain jobs in one call, which is a transaction of its own. When a name or an id is taken, it fails as a whole; when there are
-- defaults of paths (kind 4), it does nothing. With `start` they begin at once, as a claim of the worker would let them: what was never
-- ready needs no seat. The log gets one row for all, or one for each. Each table takes what it needs from the arrays: to join them
-- once, and to read the rows from there four times, takes the server a fifth longer.
-- program
-- returns: now bigint, pks bigint[]
declare
  moment bigint;
  pks bigint[];
  batch bigint;
begin
  moment := coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
  if exists (select from stint.records where kind = 4 and released = 0) then
    return query select moment, '{}'::bigint[];
    return;
  end if;
  pks := array(select nextval('stint.pks') from generate_series(1, cardinality(:id::uuid[])));
  -- By name: two transactions that want the same names meet them in the same order.
  insert into stint.names (name, job)
  select name, pk from unnest(:name::text[], pks) as given(name, pk) order by name;
  if :is_batch::boolean then
    insert into stint.events (
      tx, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes, size, jobs,
      details
    )
    values (
      stint.log_position(:tx_offset::bigint), 1, 1, moment, moment, '', (:actor::text[])[1], (:cause::text[])[1],
      (:execution_id::text[])[1], (:trace_id::text[])[1], (:span_id::text[])[1], '{}', cardinality(pks), pks, :attributes::text[]
    )
    returning log_id into batch;
  else
    insert into stint.events (
      tx, job, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
    )
    select stint.log_position(:tx_offset::bigint), pk, 1, 1, moment, moment, namespace, actor, cause, execution_id, trace_id, span_id,
      attributes
    from unnest(
      pks, :namespace::text[], :actor::text[], :cause::text[], :execution_id::text[], :trace_id::text[], :span_id::text[],
      :attributes::text[]
    ) as given(pk, namespace, actor, cause, execution_id, trace_id, span_id, attributes);
  end if;
  -- State 0 is initial, phase 1 is queued.
  insert into stint.jobs (
    pk, id, revision, released, name, namespace, type, version, state, phase, priority, position, attempt, charged,
    cancelled, scheduled_for, created_at, queued_at, updated_at, labels, options, params_digest, params, trace_parent, made_row
  )
  select pk, id, 1, 0, name, namespace, type, 1, 0, 1, priority, 100 * pk, 0, 0, 0, moment, moment, moment,
    moment, labels, options, params_digest, params, trace_parent, batch
  from unnest(
    pks, :id::uuid[], :name::text[], :namespace::text[], :type::integer[], :priority::integer[], :labels::text[],
    :options::text[], :params_digest::text[], :params::text[], :trace_parent::text[]
  ) as given(pk, id, name, namespace, type, priority, labels, options, params_digest, params, trace_parent);
  if :start::boolean then
    insert into stint.events (
      tx, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes, size, jobs
    )
    values (
      stint.log_position(:tx_offset::bigint), 2, 4, moment, moment, '', :worker_actor::text, :worker_cause::text,
      :worker_execution::text, :worker_trace::text, :worker_span::text, '{"attempt":1,"token":"' || :token::text || '","workerId":"'
        || :worker_id::text || '","attemptDeadlineAt":' || 'null}', cardinality(pks), pks
    )
    returning log_id into batch;
    insert into stint.claims (job, revision, started_at, token, worker_id, start_row)
    select pk, 2, moment, :token::text, :worker_id::text, batch from unnest(pks) as pk;
  else
    insert into stint.ready (lane, priority, position, job, revision, namespace, since, timeout_ms)
    select 2 * type, priority, 100 * pk, pk, 1, namespace, moment, timeout_ms
    from unnest(pks, :type::integer[], :priority::integer[], :namespace::text[], :timeout_ms::bigint[])
      as given(pk, type, priority, namespace, timeout_ms);
  end if;
  return query select moment, pks;
end

-- name: removeHandles
delete from stint.names where name = any(:handle_name::text[]) and job = any(:handle_job::bigint[]);

-- name: removeKeys
delete from stint.keys
using unnest(:key_namespace::text[], :key_type::integer[], :key_key::text[], :key_job::bigint[])
  as held(namespace, type, key, job)
where keys.namespace = held.namespace and keys.type = held.type and keys.key = held.key and keys.job = held.job;

-- name: writeJobs
-- Writes the steps of many jobs. `locked` comes first and in the order of pk: writers cannot wait for each other in a
-- circle, and each seat is only reached after its job is held. `taken` holds the jobs whose seat was still there at the
-- revision that the writer had read; whatever follows joins it, so a stale row is left out alone. Claims do not lock jobs,
-- they take the seat: whoever comes second finds no seat and writes nothing.
-- returns: pk bigint, awaited boolean
with wanted as materialized (
  select * from unnest(
    :pk::bigint[], :guard::integer[], :place::text[], :lane::integer[], :seat_priority::integer[],
    :seat_position::bigint[], :seat_due_at::bigint[], :stays_claimed::boolean[], :cancel_asked::smallint[]
  ) as w(pk, guard, place, lane, priority, position, due_at, stays_claimed, cancel_asked)
),
locked as materialized (
  select jobs.pk, jobs.revision from stint.jobs where jobs.pk = any(:pk::bigint[]) order by jobs.pk for no key update
),
held as materialized (
  select wanted.*, locked.revision from locked join wanted on wanted.pk = locked.pk
),
left_ready as (
  delete from stint.ready where ctid = any(array(
    select seat.ctid from held cross join lateral (
      select ready.ctid from stint.ready
      where held.place = 'queue' and ready.lane = held.lane and ready.priority = held.priority
        and ready.position = held.position and ready.job = held.pk and ready.revision = held.guard
      offset 0
    ) as seat
  ))
  returning job
),
left_delayed as (
  delete from stint.delayed where ctid = any(array(
    select seat.ctid from held cross join lateral (
      select delayed.ctid from stint.delayed
      where held.place = 'queue' and delayed.due_at = held.due_at and delayed.job = held.pk
        and delayed.revision = held.guard
      offset 0
    ) as seat
  ))
  returning job
),
left_gate as (
  delete from stint.gated where job = any(array(select pk from held where place = 'queue'))
    and (job, revision) in (select pk, guard from held)
  returning job
),
left_claim as (
  delete from stint.claims using held
  where held.place = 'claim' and not held.stays_claimed and claims.job = held.pk and claims.revision = held.guard
  returning claims.job, claims.start_row
),
kept_claim as (
  -- The row of the job says from now on that it runs, so the claim is no longer all that tells of its start.
  update stint.claims set revision = held.guard + 1, cancel_asked = held.cancel_asked, start_row = null
  from held join stint.claims as before on before.job = held.pk
  where held.place = 'claim' and held.stays_claimed and claims.job = held.pk and claims.revision = held.guard
  returning claims.job, before.start_row
),
taken as materialized (
  select job as pk, null::bigint as start_row from left_ready
  union all select job, null from left_delayed
  union all select job, null from left_gate
  union all select job, start_row from left_claim
  union all select job, start_row from kept_claim
  union all select pk, null from held where place = 'none' and revision = guard
),
written as (
  update stint.jobs set
    revision = n.revision, released = n.released, version = n.version, state = n.state, phase = n.phase,
    priority = n.priority, position = n.position, attempt = n.attempt, charged = n.charged, cancelled = n.cancelled,
    outcome = n.outcome, scheduled_for = n.scheduled_for, attempt_deadline_at = n.attempt_deadline_at,
    queued_at = n.queued_at, started_at = n.started_at, finished_at = n.finished_at, updated_at = n.updated_at,
    token = n.token, worker_id = n.worker_id, detail = n.detail, error = n.error, params_digest = n.params_digest,
    result_digest = n.result_digest, params = n.params, result = n.result,
    -- Where the log has the start of an attempt whose claim goes without leaving it to a run.
    start_row = coalesce(jobs.start_row, taken.start_row)
  from unnest(
    :pk::bigint[], :revision::integer[], :released::bigint[], :version::integer[], :state::smallint[], :phase::smallint[],
    :priority::integer[], :position::bigint[], :attempt::integer[], :charged::integer[], :cancelled::smallint[],
    :outcome::smallint[], :scheduled_for::bigint[], :attempt_deadline_at::bigint[], :queued_at::bigint[],
    :started_at::bigint[], :finished_at::bigint[], :updated_at::bigint[], :token::text[], :worker_id::text[],
    :detail::text[], :error::text[], :params_digest::text[], :result_digest::text[], :params::text[], :result::text[]
  ) as n(
    pk, revision, released, version, state, phase, priority, position, attempt, charged, cancelled, outcome,
    scheduled_for, attempt_deadline_at, queued_at, started_at, finished_at, updated_at, token, worker_id, detail, error,
    params_digest, result_digest, params, result
  )
  join taken on taken.pk = n.pk
  where jobs.pk = n.pk
),
ready as (
  insert into stint.ready (lane, priority, position, job, revision, not_after, limited, namespace)
  select seat.* from unnest(
    :ready_lane::integer[], :ready_priority::integer[], :ready_position::bigint[], :ready_job::bigint[],
    :ready_revision::integer[], :ready_not_after::bigint[], :ready_limited::smallint[], :ready_namespace::text[]
  ) as seat(lane, priority, position, job, revision, not_after, limited, namespace)
  join taken on taken.pk = seat.job
),
delayed as (
  insert into stint.delayed (lane, priority, position, job, revision, not_after, limited, namespace, due_at)
  select seat.* from unnest(
    :delayed_lane::integer[], :delayed_priority::integer[], :delayed_position::bigint[], :delayed_job::bigint[],
    :delayed_revision::integer[], :delayed_not_after::bigint[], :delayed_limited::smallint[], :delayed_namespace::text[],
    :delayed_due_at::bigint[]
  ) as seat(lane, priority, position, job, revision, not_after, limited, namespace, due_at)
  join taken on taken.pk = seat.job
),
runs as (
  insert into stint.runs (
    job, attempt, status, reason, error, worker_id, started_at, finished_at, exit_code, artifacts, log_path
  )
  select run.* from unnest(
    :run_job::bigint[], :run_attempt::integer[], :run_status::smallint[], :run_reason::text[], :run_error::text[],
    :run_worker_id::text[], :run_started_at::bigint[], :run_finished_at::bigint[], :run_exit_code::integer[],
    :run_artifacts::text[], :run_log_path::text[]
  ) as run(job, attempt, status, reason, error, worker_id, started_at, finished_at, exit_code, artifacts, log_path)
  join taken on taken.pk = run.job
),
events as (
  insert into stint.events (
    tx, received_at, job, version, code, occurred_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
  )
  select (select stint.log_position(:tx_offset::bigint)), :now::bigint, event.* from unnest(
    :event_job::bigint[], :event_version::integer[], :event_code::smallint[], :event_occurred_at::bigint[],
    :event_namespace::text[], :event_actor::text[], :event_cause::text[], :event_execution_id::text[],
    :event_trace_id::text[], :event_span_id::text[], :event_attributes::text[]
  ) as event(
    job, version, code, occurred_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
  )
  join taken on taken.pk = event.job
  -- A join may turn the order around, and ids are given in the order in which rows come.
  order by event.job, event.version
),
deadlines as (
  insert into stint.deadlines (job, at)
  select late.* from unnest(:late_job::bigint[], :late_at::bigint[]) as late(job, at) join taken on taken.pk = late.job
  on conflict (job) do update set at = excluded.at
),
no_deadlines as (
  delete from stint.deadlines where job = any(:timeless::bigint[]) and job in (select pk from taken)
),
-- Asked once for all of them: where many wait for the same, the planner would read the whole table for each.
awaited as materialized (
  select distinct on_job from stint.waits where on_job = any(:pk::bigint[])
),
unwaiting as (
  delete from stint.waits where job = any(:unwaiting::bigint[]) and job in (select pk from taken)
),
unnamed as (
  delete from stint.names
  where name = any(:handle_name::text[]) and job = any(:handle_job::bigint[]) and job in (select pk from taken)
),
unkeyed as (
  delete from stint.keys
  using unnest(:key_namespace::text[], :key_type::integer[], :key_key::text[], :key_job::bigint[])
    as held(namespace, type, key, job)
  where keys.namespace = held.namespace and keys.type = held.type and keys.key = held.key and keys.job = held.job
    and keys.job in (select pk from taken)
)
select taken.pk, taken.pk in (select on_job from awaited) as awaited from taken;

-- name: completePlainJobs
-- The end of many first attempts in one statement: the decider's `finish`, written in SQL for speed. The contract holds it equal
-- to the decider. Taking the claim is the right to do it: whatever else happens to a claimed job writes that row, and whoever
-- comes second finds another revision. The run is the end, and the job's row is neither written nor read: a claim that knows the batch
-- in which it started says all of it. A job that holds of a limit is left to `apply`, which lets others go on, and so is one whose end
-- others wait for, unless the caller sees to them; who begins to wait for a running job writes its claim, too. Whose claim is as it was has its name still, so
-- names need not be compared with jobs.
-- returns: now bigint, written bigint[], awaited bigint[]
-- plans: lists of keys
with moment as materialized (
  select coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as now
),
done as (
  delete from stint.claims using unnest(:pk::bigint[], :guard::integer[], :name::text[], :result_digest::text[], :result::text[])
    as given(pk, guard, name, result_digest, result)
  where claims.job = any(:pk::bigint[]) and claims.job = given.pk and claims.revision = given.guard
    and claims.start_row is not null
    and (:with_awaited::boolean or claims.job <> all(array(select on_job from stint.waits where on_job = any(:pk::bigint[]))))
    and claims.job <> all(array(select job from stint.permits where kind = 0 and job = any(:pk::bigint[])))
  returning claims.started_at, claims.token, claims.worker_id, claims.start_row, given.*
),
unnamed as (
  delete from stint.names where name = any(array(select name from done))
),
batch as (
  insert into stint.events (
    tx, version, code, occurred_at, received_at, namespace, actor, execution_id, attributes, size, jobs, details
  )
  select stint.log_position(:tx_offset::bigint), 3, 6, moment.now, moment.now, '', :actor::text, :run_prefix::text,
    '{"attempt":1,"resultDigest":' || 'null}', size, jobs, case when has_digests then digests end
  from moment cross join (
    select count(*) as size, array_agg(pk) as jobs, array_agg(result_digest) as digests,
      bool_or(result_digest is not null) as has_digests
    from done
  ) as ends
  where size > 0
  returning log_id
),
ended as (
  insert into stint.runs (
    job, attempt, status, worker_id, started_at, finished_at, ends, token, result_digest, result, start_row, end_row
  )
  select pk, 1, 0, worker_id, started_at, (select now from moment), 1, token, result_digest, result, start_row,
    (select log_id from batch)
  from done
)
select (select now from moment) as now, array(select pk from done) as written,
  case when :with_awaited::boolean then array(select on_job from stint.waits where on_job = any(:pk::bigint[])) end as awaited;

-- name: completeJobs
-- The same for attempts that are not the first, or that have something of their own to tell. What the rows of the job and its claim
-- say is not sent again.
-- returns: now bigint, written bigint[], awaited bigint[]
-- plans: lists of keys
with moment as materialized (
  select coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as now
),
done as (
  delete from stint.claims using unnest(
    :pk::bigint[], :guard::integer[], :result_digest::text[], :result::text[], :exit_code::integer[], :artifacts::text[],
    :log_path::text[], :actors::text[], :cause::text[], :execution_id::text[], :trace_id::text[], :span_id::text[],
    :facts::text[]
  ) as given(
    pk, guard, result_digest, result, exit_code, artifacts, log_path, actor, cause, execution_id, trace_id, span_id, facts
  ), stint.jobs
  where claims.job = any(:pk::bigint[]) and claims.job = given.pk and claims.revision = given.guard
    -- A row that was written while the job ran, or whose attempt goes on (state 1), says more than how it was before.
    and jobs.pk = any(:pk::bigint[]) and jobs.pk = given.pk and jobs.revision = given.guard - 1 and jobs.state <> 1
    and (:with_awaited::boolean or claims.job <> all(array(select on_job from stint.waits where on_job = any(:pk::bigint[]))))
    and claims.job <> all(array(select job from stint.permits where kind = 0 and job = any(:pk::bigint[])))
  returning claims.started_at, claims.token, claims.worker_id, claims.start_row, given.*, jobs.id, jobs.name, jobs.namespace,
    jobs.version + 2 as version, jobs.attempt + 1 as attempt
),
unnamed as (
  delete from stint.names where name = any(array(select name from done))
),
ended as (
  insert into stint.runs (
    job, attempt, status, worker_id, started_at, finished_at, exit_code, artifacts, log_path, ends, token, result_digest,
    result, start_row
  )
  select pk, attempt, 0, worker_id, started_at, (select now from moment), exit_code, artifacts, log_path, 1, token,
    result_digest, result, start_row
  from done
),
events as (
  insert into stint.events (
    tx, job, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
  )
  select (select stint.log_position(:tx_offset::bigint)), pk, version, 6, (select now from moment),
    (select now from moment), namespace, coalesce(actor, :actor::text), cause,
    -- Most are that of the run; null where neither is given.
    coalesce(execution_id, :run_prefix::text || id || '-run-' || attempt), trace_id, span_id,
    '{"attempt":' || attempt || ',"resultDigest":' || coalesce('"' || result_digest || '"', 'null')
      || coalesce(',' || facts, '') || '}'
  from done
)
select (select now from moment) as now, array(select pk from done) as written,
  case when :with_awaited::boolean then array(select on_job from stint.waits where on_job = any(:pk::bigint[])) end as awaited;

-- name: forgetCompleted
-- What only some jobs leave behind: the keys they held, and instants that nobody has to look at any more. A job that is not
-- over keeps both.
with over as materialized (
  select job as pk from stint.runs where job = any(:pk::bigint[]) and ends = 1
),
unkeyed as (
  delete from stint.keys
  using unnest(:key_namespace::text[], :key_type::integer[], :key_key::text[], :key_job::bigint[])
    as held(namespace, type, key, job)
  where keys.namespace = held.namespace and keys.type = held.type and keys.key = held.key and keys.job = held.job
    and keys.job in (select pk from over)
)
delete from stint.deadlines where job in (select pk from over);
