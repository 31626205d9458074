-- name: claimJobs
-- The start of many attempts in one statement: the decider's `claim`, written in SQL for speed. The contract holds it
-- equal to the decider, event for event and field for field.
-- The CTEs that lock are fences: without MATERIALIZED the planner may run a locking subquery again for every row and lock
-- more than the limit. Deleting by ctid avoids a join back to the table, which the planner may turn into a full scan.
-- returns: pk bigint, id uuid, name text, namespace text, type integer, priority integer, created_at bigint, params_digest text,
-- returns: params text, claim_started_at bigint, rest text
with worker as materialized (
  -- Whoever buries the worker waits for this claim and counts it, or is waited for and seen. A renewal does neither.
  select lost_at from stint.workers where id = :worker_id::text for key share
),
moment as materialized (
  select coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as now,
    -- Branches that are paused or limited: then every job has to be looked at by its name.
    exists (select from stint.pauses where path is not null)
      or exists (select from stint.limits where key >= '/' and key < '0') as has_path_gates,
    -- A worker that was found lost must take nothing more: what it took would only have to be rescued again.
    not exists (select from worker where lost_at is not null) as lives
),
due as materialized (
  select ctid as place, job, revision, lane, priority, position, not_after, limited, namespace from stint.delayed
  where due_at <= (select now from moment) and (select lives from moment) and :only::tid[] is null
  order by due_at limit 1000 for update skip locked
),
no_longer_delayed as (
  delete from stint.delayed where ctid = any(array(select place from due))
),
open_lanes as materialized (
  select lane from unnest(:lanes::integer[]) as l(lane) where lane / 2 not in (select type from stint.pauses where type is not null)
),
pool as materialized (
  select null::tid as place, job, lane, priority, position, limited from due
  where lane in (select lane from open_lanes) and (not_after is null or not_after > (select now from moment))
  union all
  select head.* from open_lanes as wanted cross join lateral (
    select ctid as place, job, lane, priority, position, limited from stint.ready
    where ready.lane = wanted.lane and (not_after is null or not_after > (select now from moment))
      and (select lives from moment)
    order by priority desc, position, job
    limit case when wanted.lane % 2 = 1 then :suspect_limit::integer else :limit::integer end
    for update skip locked
  ) as head
  where :only::tid[] is null
  union all
  -- Seats that this transaction holds, by their places: far behind the first ones there may be many others.
  select ctid, job, lane, priority, position, limited from stint.ready where ctid = any(:only::tid[])
),
first as materialized (
  select * from (
    select * from pool where lane % 2 = 0
    union all
    (select * from pool where lane % 2 = 1 order by priority desc, position, job limit :suspect_limit::integer)
  ) as few_suspects
  order by priority desc, position, job limit :limit::integer
),
first_limited as materialized (
  select -priority as urgency, position, job from first where limited = 1 order by priority desc, position, job limit 1
),
-- Jobs before the first that has to pass a gate. With `only`, those that have passed.
chosen as materialized (
  select * from first
  where :only::tid[] is not null or not (select has_path_gates from moment) and (
    not exists (select from first_limited)
    or (-first.priority, first.position, first.job) < (select urgency, position, job from first_limited)
  )
),
-- A row without a job tells that others have to pass a gate, or that time has opened one.
gated as materialized (
  select 1 where :only::tid[] is null and (
    (select count(*) from first) > (select count(*) from chosen)
    or exists (select from stint.permits where release_at <= (select now from moment))
  )
),
no_longer_ready as (
  delete from stint.ready where ctid = any(array(select place from chosen where place is not null))
),
promoted as (
  insert into stint.ready (lane, priority, position, job, revision, not_after, limited, namespace)
  select lane, priority, position, job, revision, not_after, limited, namespace from due
  where job <> all(array(select job from chosen))
),
started as materialized (
  select pk, start.at as claim_started_at, late.at as claim_deadline_at, revision, version, state, attempt,
    -- First attempts tell the same but for their deadlines: the log has one row for all of them.
    version = 1 and attempt = 0 and state = 0 and start.at = (select now from moment) and :limit::integer <= 1024 as is_plain,
    expires_at, deadline_at, namespace, id, name, type, priority, created_at, params_digest, params, released, key, position,
    charged, outcome, scheduled_for, queued_at, template_id, schedule_id, group_id, retry_of, submitted_by, labels, options,
    detail, trace_parent, started_at, result_digest, result
  from stint.jobs
  -- A clock that was set back does not close a gate that was open: no attempt starts before its time.
  cross join lateral (select greatest((select now from moment), jobs.scheduled_for) as at) as start
  cross join lateral (select start.at + (jobs.options::json ->> 'timeoutMs')::bigint as at) as late
  where jobs.pk = any(array(select job from chosen))
),
batch as (
  insert into stint.events (
    tx, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes, size, jobs,
    details
  )
  select stint.log_position(:tx_offset::bigint), 2, 4, moment.now, moment.now, '', :actor::text, :cause::text,
    :execution_id::text, :trace_id::text, :span_id::text, '{"attempt":1,"token":"' || :token::text || '","workerId":"'
      || :worker_id::text || '","attemptDeadlineAt":' || 'null}', size, jobs, case when has_deadlines then deadlines end
  from moment cross join (
    select count(*) as size, array_agg(pk) as jobs, array_agg(claim_deadline_at::text) as deadlines,
      bool_or(claim_deadline_at is not null) as has_deadlines
    from started where is_plain
  ) as starts
  where size > 0
  returning log_id
),
claimed as (
  insert into stint.claims (job, revision, started_at, deadline_at, token, worker_id, start_row)
  select pk, revision + 1, claim_started_at, claim_deadline_at, :token::text, :worker_id::text,
    case when is_plain then (select log_id from batch) end
  from started
),
-- Those for which there is more to do. Most claims have none.
special as materialized (
  select pk, claim_started_at, claim_deadline_at, version, state, attempt, is_plain, expires_at, deadline_at, namespace
  from started where not is_plain or num_nonnulls(claim_deadline_at, expires_at, deadline_at) > 0
),
deadlines as (
  insert into stint.deadlines (job, at)
  select pk, least(claim_deadline_at, deadline_at) from special where least(claim_deadline_at, deadline_at) is not null
  on conflict (job) do update set at = excluded.at
),
no_deadlines as (
  delete from stint.deadlines where job = any(array(
    select pk from special where claim_deadline_at is null and deadline_at is null and expires_at is not null
  ))
),
events as (
  insert into stint.events (
    tx, job, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
  )
  select (select stint.log_position(:tx_offset::bigint)), pk, version + 1,
    -- A job in the state 1, running, goes on with its open attempt: `job.run.resumed`.
    case state when 1 then 13 else 4 end, claim_started_at, (select now from moment),
    namespace, :actor::text, :cause::text, :execution_id::text, :trace_id::text, :span_id::text,
    '{"attempt":' || (attempt + case state when 1 then 0 else 1 end) || ',"token":"' || :token::text || '","workerId":"' || :worker_id::text
      || '","attemptDeadlineAt":' || coalesce(claim_deadline_at::text, 'null') || '}'
  from special where not is_plain
)
select pk, id, name, namespace, type, priority, created_at, params_digest, params, claim_started_at,
  -- What nearly all jobs have alike is not sent: claimed-answer.ts knows it. The others send all of it.
  case when revision = 1 and released = 0 and version = 1 and position = 100 * pk and attempt = 0 and charged = 0 and state = 0
      and scheduled_for = created_at and queued_at = created_at and num_nonnulls(
        key, outcome, expires_at, deadline_at, template_id, schedule_id, group_id, retry_of, submitted_by, labels, options,
        detail, trace_parent, started_at, result_digest, result, claim_deadline_at
      ) = 0
    then null
    else json_build_array(
      revision, released, key, version, position, attempt, charged, outcome, scheduled_for, expires_at, deadline_at, queued_at,
      template_id, schedule_id, group_id, retry_of, submitted_by, labels, options, detail, trace_parent, state, started_at,
      result_digest, result, claim_deadline_at
    )::text end as rest
from started
union all
select null, null, null, null, null, null, null, null, null, null, null from gated;

-- name: mayClaimFirst
-- Whether a claim may take whatever comes first: the worker lives, no gate is in the way, no suspect waits, nothing has become due.
-- The worker is looked at as in `claimJobs`.
-- returns: may_claim boolean
with worker as materialized (
  select lost_at from stint.workers where id = :worker_id::text for key share
)
select :limit::integer <= 1024 and not (
  exists (select from worker where lost_at is not null)
  or exists (select from stint.pauses)
  or exists (select from stint.limits where key >= '/' and key < '0')
  or exists (select from stint.permits where release_at <= :now::bigint)
  or exists (select from stint.delayed where due_at <= :now::bigint)
  or :suspect_limit::integer > 0 and exists (select from stint.ready where lane = any(:suspect_lanes::integer[]))
) as may_claim;

-- name: claimFirstJobs
-- The claim that nearly all are: no gate is in the way, no suspect waits, nothing has become due, and all that is found is as it was
-- submitted. Then the seats say enough to start the attempts, and each step of it is small. Whenever one of these is not so,
-- `claimJobs` does it: what is locked here it meets as if it were free. The worker is looked at as there.
-- program
-- returns: pk bigint, id uuid, name text, namespace text, type integer, priority integer, created_at bigint, params_digest text,
-- returns: params text, claim_started_at bigint, rest text
declare
  moment bigint;
  is_plain boolean;
  seats record;
  batch bigint;
begin
  -- As `letClaimIn`.
  perform pg_advisory_xact_lock_shared(1937010292, :barrier::integer);
  moment := coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
  select may_claim into is_plain from {mayClaimFirst now=moment};
  if is_plain then
    select array_agg(place) as places, array_agg(job) as jobs, array_agg(moment + timeout_ms) as deadlines,
      bool_or(timeout_ms is not null) as have_deadlines, count(*) = count(*) filter (where since <= moment) as are_plain
    from (
      select head.* from unnest(:plain_lanes::integer[]) as wanted(lane) cross join lateral (
        select ctid as place, job, ready.priority, position, since, timeout_ms from stint.ready
        where ready.lane = wanted.lane and (not_after is null or not_after > moment)
        order by ready.priority desc, position, job limit :limit::integer for update skip locked
      ) as head
      order by head.priority desc, position, job limit :limit::integer
    ) as first into seats;
    is_plain := seats.are_plain;
  end if;
  if not is_plain then
    return query select * from {claimJobs};
    return;
  end if;
  if seats.jobs is null then
    -- The look at the worker is a transaction like any other, but nobody has to wait until it is on the disk.
    perform set_config('synchronous_commit', 'off', true);
    return;
  end if;
  delete from stint.ready where ctid = any(seats.places);
  insert into stint.events (
    tx, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes, size, jobs,
    details
  )
  values (
    stint.log_position(:tx_offset::bigint), 2, 4, moment, moment, '', :actor::text, :cause::text, :execution_id::text,
    :trace_id::text, :span_id::text, '{"attempt":1,"token":"' || :token::text || '","workerId":"' || :worker_id::text
      || '","attemptDeadlineAt":' || 'null}', cardinality(seats.jobs), seats.jobs,
    case when seats.have_deadlines then seats.deadlines::text[] end
  )
  returning log_id into batch;
  insert into stint.claims (job, revision, started_at, deadline_at, token, worker_id, start_row)
  select job, 2, moment, deadline_at, :token::text, :worker_id::text, batch
  from unnest(seats.jobs, seats.deadlines) as chosen(job, deadline_at);
  if seats.have_deadlines then
    insert into stint.deadlines (job, at)
    select job, at from unnest(seats.jobs, seats.deadlines) as late(job, at) where at is not null
    on conflict (job) do update set at = excluded.at;
  end if;
  return query
  select jobs.pk, jobs.id, jobs.name, jobs.namespace, jobs.type, jobs.priority, jobs.created_at, jobs.params_digest, jobs.params, moment,
    -- As in `claimJobs`; what stands here as a constant is so in every job that is as it was submitted. Tasks have options and nothing
    -- else, and that is what is sent of them.
    case when num_nonnulls(labels, trace_parent) = 0 and not seats.have_deadlines then options
      when num_nonnulls(labels, options, trace_parent) > 0 then json_build_array(
      1, 0, null, 1, position, 0, 0, null, scheduled_for, null, null, queued_at, null, null, null, null, null, labels, options, null,
      trace_parent, 0, null, null, null, moment + (options::json ->> 'timeoutMs')::bigint
    )::text end
  from stint.jobs where jobs.pk = any(seats.jobs);
end

-- name: insertAndClaim
-- Plain jobs, and a claim by a worker that waits for such, in one transaction: the job begins after one flush to the disk in place of
-- two. Where nothing else is ready for the worker, and nothing is in the way of a claim, what it would take are these jobs: they are
-- made as started. The first row says what was inserted; no row, that nothing was, because there are defaults. A name that somebody
-- else is about to take must not hold up the worker: then it fails, and both are done alone.
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
  moment bigint;
  starts boolean;
  inserted record;
begin
  perform set_config('lock_timeout', '100', true);
  perform pg_advisory_xact_lock_shared(1937010292, :barrier::integer);
  moment := coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
  -- What has nothing but options besides, as `claimFirstJobs` answers it.
  starts := cardinality(:id::uuid[]) <= :limit::integer
    and cardinality(:labels::text[]) + cardinality(:trace_parent::text[]) + cardinality(:timeout_ms::bigint[]) = 0
    and not exists (select from unnest(:type::integer[]) as given(type) where 2 * type <> all(:plain_lanes::integer[]))
    and not exists (select from stint.ready where lane = any(:plain_lanes::integer[]));
  if starts then
    select may_claim into starts from {mayClaimFirst now=moment};
  end if;
  select * into inserted from {insertPlainJobs now=moment start=starts};
  if cardinality(inserted.pks) = 0 then return; end if;
  return query select null::bigint, null::uuid, null, null, null::integer, 0, moment, null, null, null::bigint,
    to_json(inserted.pks)::text;
  if starts then
    return query select made.pk, made.id, made.name, made.namespace, made.type, made.priority, moment, made.params_digest, made.params,
      moment, made.options
    from unnest(
      inserted.pks::bigint[], :id::uuid[], :name::text[], :namespace::text[], :type::integer[], :priority::integer[],
      :params_digest::text[], :params::text[], :options::text[]
    ) as made(pk, id, name, namespace, type, priority, params_digest, params, options);
    return;
  end if;
  return query select * from {claimFirstJobs actor=worker_actor cause=worker_cause execution_id=worker_execution trace_id=worker_trace span_id=worker_span};
  -- A claim that finds nothing waits for no disk. What was inserted does.
  perform set_config('synchronous_commit', flushed, true);
end

-- name: waitsOf
select job, on_job from stint.waits where job = any(:pks::bigint[]);

-- name: lockWaiting
-- Those who wait for one of these ends. Of two transactions that end the last two jobs that one waits for, the second waits
-- here, and then sees that nothing else is left; without the lock each would leave it to the other.
-- returns: pk bigint
select pk from stint.jobs
where pk in (select distinct job from stint.waits where on_job = any(:pks::bigint[]) order by job limit :limit::integer)
order by pk for no key update;

-- name: openWaitsOf
-- A wait for a job that is over (phase 4) is no wait unless a follow-up sees to it, nor is one for a group (kind 3) or a slot
-- (kind 6) that is over, nor one of a job for itself without a follow-up: nothing will ever end it.
select waits.job, waits.on_job from stint.waits join stint.jobs on jobs.pk = waits.on_job
  and (exists (select from stint.follow_ups where follow_ups.job = waits.on_job)
    or jobs.phase <> 4 and not exists (select from stint.runs where runs.job = jobs.pk and runs.ends = 1))
where waits.job = any(:pks::bigint[])
  and (waits.on_job <> waits.job or exists (select from stint.follow_ups where follow_ups.job = waits.job))
union all
select waits.job, waits.on_job from stint.waits
join stint.records on records.pk = waits.on_job and (
  records.kind = 3 and records.released = 0
  or records.kind = 6 and (records.body::json ->> 'status' = 'OPEN' or exists (select from stint.follow_ups where follow_ups.job = records.pk))
)
where waits.job = any(:pks::bigint[]);

-- name: endWaits
-- The jobs that waited for these ends. Whether they wait for others too is asked after, when these rows are gone.
-- returns: job bigint
delete from stint.waits where on_job = any(:pks::bigint[]) and job = any(:jobs::bigint[]) returning job;

-- name: stillWaiting
-- returns: job bigint
select distinct job from stint.waits where job = any(:pks::bigint[]);

-- name: addWaits
insert into stint.waits (job, on_job) select * from unnest(:jobs::bigint[], :on_jobs::bigint[]) on conflict do nothing;

-- name: addNeeds
insert into stint.needs (on_job, job) select * from unnest(:on_jobs::bigint[], :jobs::bigint[]) on conflict do nothing;

-- name: removeOwnWait
-- Another follow-up of the job, from a later attempt, may still have jobs to cancel.
delete from stint.waits where job = :job and on_job = :job
  and not exists (select 1 from stint.follow_ups where follow_ups.job = :job);

-- name: overdueJobs
select deadlines.at, deadlines.job, jobs.id from stint.deadlines join stint.jobs on jobs.pk = deadlines.job
where deadlines.at <= coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)
  and (deadlines.at, deadlines.job) > (:after_at::bigint, :after_job::bigint)
order by deadlines.at, deadlines.job limit :limit;

-- name: deadlinesOf
select job, at from stint.deadlines where job = any(:pks::bigint[]);

-- name: addFollowUps
insert into stint.follow_ups (kind, job, data)
select * from unnest(:kinds::smallint[], :jobs::bigint[], :data::text[]);

-- name: takeFollowUp
-- Whoever does a follow-up holds it; others take the next.
select pk, kind, job, data from stint.follow_ups order by pk limit 1 offset :skip for update skip locked;

-- name: saveFollowUp
update stint.follow_ups set data = :data where pk = :pk;

-- name: removeFollowUp
delete from stint.follow_ups where pk = :pk;

-- name: seatsOf
-- Looks where the seat of each job must be; a seat anywhere else is a stray.
select 'ready' as seat, ready.job, ready.revision, ready.lane
from stint.jobs join stint.ready on ready.lane in (2 * jobs.type, 2 * jobs.type + 1) and ready.priority = jobs.priority
  and ready.position = jobs.position and ready.job = jobs.pk
where jobs.pk = any(:pks::bigint[])
union all
select 'delayed', delayed.job, delayed.revision, delayed.lane
from stint.jobs join stint.delayed on delayed.due_at = jobs.scheduled_for and delayed.job = jobs.pk
where jobs.pk = any(:pks::bigint[])
union all
select 'gated', gated.job, gated.revision, gated.lane from stint.gated where gated.job = any(:pks::bigint[])
union all
select 'claim', claims.job, claims.revision, null from stint.claims where claims.job = any(:pks::bigint[]);

-- name: straySeats
-- A seat must belong to a job that is queued (phase 1) at the same revision; a claim, to one that it has moved on or that
-- is running (phase 2).
select 'ready' as seat, ready.job, ready.revision from stint.ready left join stint.jobs on jobs.pk = ready.job
where jobs.pk is null or jobs.phase <> 1 or jobs.revision <> ready.revision
  or jobs.priority <> ready.priority or jobs.position <> ready.position
  or ready.lane not in (2 * jobs.type, 2 * jobs.type + 1) or ready.namespace <> jobs.namespace
union all
select 'delayed', delayed.job, delayed.revision from stint.delayed left join stint.jobs on jobs.pk = delayed.job
where jobs.pk is null or jobs.phase <> 1 or jobs.revision <> delayed.revision or jobs.scheduled_for <> delayed.due_at
  or delayed.namespace <> jobs.namespace
union all
select 'gated', gated.job, gated.revision from stint.gated left join stint.jobs on jobs.pk = gated.job
where jobs.pk is null or jobs.phase <> 1 or jobs.revision <> gated.revision
  or jobs.priority <> gated.priority or jobs.position <> gated.position
  or gated.lane not in (2 * jobs.type, 2 * jobs.type + 1) or gated.namespace <> jobs.namespace
union all
select 'permit', permits.job, 0 from stint.permits
left join stint.jobs on jobs.pk = permits.job left join stint.claims on claims.job = permits.job
where permits.kind = 0 and claims.job is null
  -- An open attempt (state 1) that waits for something, or for a worker to go on with it.
  and (jobs.pk is null or not (jobs.phase = 3 or jobs.phase = 1 and jobs.state = 1))
union all
-- What runs below a limited path counts against its limit.
select 'no permit', claims.job, claims.revision from stint.limits
cross join stint.claims join stint.jobs on jobs.pk = claims.job
where limits.key >= '/' and limits.key < '0'
  and (jobs.name = limits.key or (jobs.name >= limits.key || '/' and jobs.name < limits.key || '0'))
  and not exists (
    select from stint.permits where permits.limit_id = limits.id and permits.kind = 0 and permits.job = claims.job
  )
union all
select 'claim', claims.job, claims.revision from stint.claims left join stint.jobs on jobs.pk = claims.job
where jobs.pk is null or exists (select from stint.runs where runs.job = jobs.pk and runs.ends = 1)
  or not (jobs.phase = 1 and jobs.revision + 1 = claims.revision or jobs.phase = 2 and jobs.revision = claims.revision);

-- name: handlesOf
select 'name' as handle, names.job from stint.jobs
join stint.names on names.name = jobs.name and names.job = jobs.pk where jobs.pk = any(:pks::bigint[])
union all
select 'key', keys.job from stint.jobs
join stint.keys on keys.namespace = jobs.namespace and keys.type = jobs.type and keys.key = jobs.key and keys.job = jobs.pk
where jobs.pk = any(:pks::bigint[]);

-- name: strayHandles
-- A name or key that no live job has would be taken for ever.
select 'name' as seat, names.job, 0 as revision from stint.names left join stint.jobs on jobs.pk = names.job
where jobs.pk is null or jobs.released <> 0 or jobs.name <> names.name
  or exists (select from stint.runs where runs.job = jobs.pk and runs.ends = 1)
union all
select 'key', keys.job, 0 from stint.keys left join stint.jobs on jobs.pk = keys.job
where jobs.pk is null or jobs.released <> 0
  or exists (select from stint.runs where runs.job = jobs.pk and runs.ends = 1)
  or (keys.namespace, keys.type, keys.key) <> (jobs.namespace, jobs.type, jobs.key);

-- name: firstSeats
-- The first jobs that a claim could take, held until the end of the transaction.
-- plans: lists of keys
-- returns: place tid, pk bigint, suspect integer, name text, namespace text, state smallint, options text, scheduled_for bigint, group_id text
with open_lanes as materialized (
  select lane from unnest(:lanes::integer[]) as l(lane) where lane / 2 not in (select type from stint.pauses where type is not null)
),
pool as materialized (
  select head.* from open_lanes as wanted cross join lateral (
    select ctid as place, job, lane, priority, position from stint.ready
    where ready.lane = wanted.lane and (not_after is null or not_after > :now::bigint)
    order by priority desc, position, job
    limit case when wanted.lane % 2 = 1 then :suspect_limit::integer else :limit::integer end
    for update skip locked
  ) as head
),
ranked as (
  select pool.*, row_number() over (partition by lane % 2 order by priority desc, position, job) as nth from pool
),
first as materialized (
  select * from ranked where nth <= case when lane % 2 = 1 then :suspect_limit::integer else :limit::integer end
)
select first.place, first.job as pk, first.lane % 2 as suspect, jobs.name, jobs.namespace, jobs.state, jobs.options, jobs.scheduled_for,
  jobs.group_id
from first join stint.jobs on jobs.pk = first.job
-- The keys said twice: without the list the planner may read the whole table to find these.
where jobs.pk = any(array(select job from first))
order by first.priority desc, first.position, first.job;

-- name: nextPositionUp
-- Those that wait at a gate have their place in the order, too: they come back to it.
select least(min(head.position), (
  select min(position) from stint.gated where priority = :priority::integer and position > :from::bigint
)) as position
from (select 2 * id + odd as lane from stint.types cross join (values (0), (1)) as s(odd)) as lanes
cross join lateral (
  select position from stint.ready
  where ready.lane = lanes.lane and priority = :priority::integer and position > :from::bigint
  order by position limit 1
) as head;

-- name: nextPositionDown
select greatest(max(head.position), (
  select max(position) from stint.gated where priority = :priority::integer and position < :from::bigint
)) as position
from (select 2 * id + odd as lane from stint.types cross join (values (0), (1)) as s(odd)) as lanes
cross join lateral (
  select position from stint.ready
  where ready.lane = lanes.lane and priority = :priority::integer and position < :from::bigint
  order by position desc limit 1
) as head;

-- name: readyAt
select ready.job as pk from (select 2 * id + odd as lane from stint.types cross join (values (0), (1)) as s(odd)) as lanes
join stint.ready on ready.lane = lanes.lane and priority = :priority::integer and position = :position::bigint
union all select job from stint.gated where priority = :priority::integer and position = :position::bigint;

-- name: queueKeys
select head.job as pk from (
  select 2 * id + odd as lane from stint.types cross join (values (0), (1)) as s(odd)
  where :types::text[] is null or name = any(:types::text[])
) as lanes
cross join lateral (
  select job, priority, position from stint.ready where ready.lane = lanes.lane
  order by priority desc, position, job limit :limit
) as head
order by head.priority desc, head.position, head.job limit :limit;
