-- name: besidesFirstJobs
-- Whether the worker was found lost, jobs have become due, permits are over, a type is paused, branches are paused or limited,
-- suspects are ready.
select exists (select 1 from workers where id = :worker_id and lost_at is not null),
  exists (select 1 from delayed where due_at <= :now),
  exists (select 1 from permits where release_at is not null and release_at <= :now),
  exists (select 1 from pauses where type is not null),
  exists (select 1 from pauses where path is not null) or exists (select 1 from limits where key >= '/' and key < '0'),
  exists (select 1 from json_each(:lanes) as suspect cross join ready on ready.lane = suspect.value);

-- name: readyInLane
select lane, job, priority, position, limited from ready
where lane = :lane and (not_after is null or not_after > :now) order by priority desc, position, job limit :limit;

-- name: jobToClaim
-- The columns of claimed-row.ts, in their order.
select pk, id, revision, released, name, namespace, key, version, priority, position, attempt, charged, outcome,
  scheduled_for, expires_at, deadline_at, created_at, queued_at, template_id, schedule_id, group_id, retry_of,
  submitted_by, labels, options, detail, params_digest, params, trace_parent, type, state, started_at, result_digest,
  result
from jobs where pk = :pk;

-- name: readyJobsInLane
-- The same, with their jobs: the columns of claimed-row.ts, in their order. The cross join keeps the order of the lane.
select ready.lane, ready.job, ready.priority, ready.position, ready.limited, jobs.pk, id, jobs.revision, released, name,
  jobs.namespace, key, version, jobs.priority, jobs.position, attempt, charged, outcome, scheduled_for, expires_at,
  deadline_at, created_at, queued_at, template_id, schedule_id, group_id, retry_of, submitted_by, labels, options, detail,
  params_digest, params, trace_parent, type, state, started_at, result_digest, result
from ready left join jobs on jobs.pk = ready.job
where lane = :lane and (not_after is null or not_after > :now)
order by ready.priority desc, ready.position, ready.job limit :limit;

-- name: removeReadyRows
-- Of one lane and priority, up to a place in their order.
delete from ready where lane = :lane and priority = :priority and position <= :position
  and (position < :position or job <= :job) and (not_after is null or not_after > :now);

-- name: insertClaims
-- The claims of many jobs, whose starts stand in the log in the same order. A clock that was set back does not close a gate that
-- was open: no attempt starts before its time. To look for a word in options takes a tenth of the time of reading them.
insert into claims (job, revision, started_at, deadline_at, token, worker_id, start_row)
select pk, revision + 1, max(:now, scheduled_for),
  case when instr(options, '"timeoutMs"') then max(:now, scheduled_for) + (options ->> 'timeoutMs') end, :token, :worker_id,
  case when state <> 1 then :first_row + chosen.key end
from json_each(:jobs) as chosen cross join jobs on jobs.pk = chosen.value;

-- name: insertStarts
-- The events of the same. A job in the state 1, running, goes on with its open attempt: `job.run.resumed`.
insert into events (
  job, version, led_to, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
)
select pk, version + 1, case when state <> 1 then 1 end, case state when 1 then 13 else 4 end, max(:now, scheduled_for), :now, namespace, :actor, :cause,
  :execution_id, :trace_id, :span_id,
  '{"attempt":' || (attempt + (state <> 1)) || ',"token":"' || :token || '","workerId":"' || :worker_id
    || '","attemptDeadlineAt":'
    || coalesce(case when instr(options, '"timeoutMs"') then max(:now, scheduled_for) + (options ->> 'timeoutMs') end, 'null')
    || '}'
from json_each(:jobs) as chosen cross join jobs on jobs.pk = chosen.value;

-- name: removeReadyRow
delete from ready where lane = :lane and priority = :priority and position = :position and job = :job;

-- name: dueDelayed
select due_at, job, revision, lane, priority, position, not_after, limited, namespace from delayed
where due_at <= :now order by due_at limit :limit;

-- name: insertReady
insert into ready (lane, priority, position, job, revision, not_after, limited, namespace)
values (:lane, :priority, :position, :job, :revision, :not_after, :limited, :namespace);

-- name: insertDelayed
insert into delayed (due_at, job, revision, lane, priority, position, not_after, limited, namespace)
values (:due_at, :job, :revision, :lane, :priority, :position, :not_after, :limited, :namespace);

-- name: insertClaim
insert into claims (job, revision, started_at, deadline_at, token, worker_id, start_row)
values (:job, :revision, :started_at, :deadline_at, :token, :worker_id, :start_row);

-- name: takeReady
delete from ready
where lane = :lane and priority = :priority and position = :position and job = :job and revision = :revision;

-- name: takeDelayed
delete from delayed where due_at = :due_at and job = :job and revision = :revision;

-- name: takeGated
delete from gated where job = :job and revision = :revision;

-- name: takeClaim
delete from claims where job = :job and revision = :revision;

-- name: plainClaims
-- Of these jobs, those whose row is as it was before the attempt: one that was written while the job ran, or whose attempt goes
-- on, says more than that, and its claim does not lead to its start.
select claims.job, claims.revision, claims.start_row from json_each(:pks) as ended
cross join claims on claims.job = ended.value and claims.start_row is not null;

-- name: endClaims
delete from claims where job in (select value from json_each(:pks));

-- name: renewClaim
update claims set revision = :next, cancel_asked = :cancel_asked, start_row = null where job = :job and revision = :revision;

-- name: keepStart
-- Its claim will not lead to it any more, and its run may come much later.
insert into event_rows (job, log_id)
select job, start_row from claims where job = :job and revision = :revision and start_row is not null;

-- name: revisionOf
select revision from jobs where pk = :pk;

-- name: insertWait
insert into waits (on_job, job) values (:on_job, :job) on conflict do nothing;

-- name: waitsOf
select waits.job, waits.on_job from json_each(:pks) as wanted join waits on waits.job = wanted.value;

-- name: openWaitsOf
-- A wait for a job that is over (phase 4) is no wait unless a follow-up sees to it, nor is one for a group (kind 3) or a slot
-- (kind 6) that is over, nor one of a job for itself without a follow-up: nothing will ever end it.
select waits.job, waits.on_job from json_each(:pks) as wanted
join waits on waits.job = wanted.value
join jobs on jobs.pk = waits.on_job
  and (exists (select 1 from follow_ups where follow_ups.job = waits.on_job)
    or jobs.phase <> 4 and not exists (select 1 from runs where runs.job = jobs.pk and runs.ends = 1))
where waits.on_job <> waits.job or exists (select 1 from follow_ups where follow_ups.job = waits.job)
union all
select waits.job, waits.on_job from json_each(:pks) as wanted
join waits on waits.job = wanted.value
join records on records.pk = waits.on_job and (
  records.kind = 3 and records.released = 0
  or records.kind = 6 and (records.body ->> 'status' = 'OPEN' or exists (select 1 from follow_ups where follow_ups.job = records.pk))
);

-- name: isAwaited
select 1 as awaited from waits where on_job = :pk limit 1;

-- name: anyWait
select 1 as waits from waits limit 1;

-- name: removeWaitsOn
-- So many jobs at the most, with all their waits for these ends.
delete from waits where on_job in (select value from json_each(:pks)) and job in (
  select distinct job from waits where on_job in (select value from json_each(:pks)) order by job limit :limit
) returning job;

-- name: removeWaitsOf
delete from waits where job = :job;

-- name: stillWaits
select 1 as waits from waits where job = :job limit 1;

-- name: addNeed
insert into needs (on_job, job) values (:on_job, :job) on conflict do nothing;

-- name: removeOwnWait
-- Another follow-up of the job, from a later attempt, may still have jobs to cancel.
delete from waits where job = :job and on_job = :job
  and not exists (select 1 from follow_ups where follow_ups.job = :job);

-- name: setDeadline
insert into deadlines (job, at) values (:job, :at) on conflict (job) do update set at = excluded.at;

-- name: removeDeadline
delete from deadlines where job = :job;

-- name: overdueJobs
select deadlines.at, deadlines.job, jobs.id from deadlines join jobs on jobs.pk = deadlines.job
where deadlines.at <= :now and (deadlines.at, deadlines.job) > (:after_at, :after_job)
order by deadlines.at, deadlines.job limit :limit;

-- name: deadlinesOf
select deadlines.at, deadlines.job from json_each(:pks) as wanted join deadlines on deadlines.job = wanted.value;

-- name: insertFollowUp
insert into follow_ups (kind, job, data) values (:kind, :job, :data);

-- name: firstFollowUp
select pk, kind, job, data from follow_ups order by pk limit 1 offset :skip;

-- name: saveFollowUp
update follow_ups set data = :data where pk = :pk;

-- name: removeFollowUp
delete from follow_ups where pk = :pk;

-- name: seatsOf
-- Looks where the seat of each job must be; a seat anywhere else is a stray.
select 'ready' as seat, ready.job, ready.revision, ready.lane
from json_each(:pks) as wanted
join jobs on jobs.pk = wanted.value
join ready on ready.lane in (2 * jobs.type, 2 * jobs.type + 1) and ready.priority = jobs.priority
  and ready.position = jobs.position and ready.job = jobs.pk
union all
select 'delayed', delayed.job, delayed.revision, delayed.lane
from json_each(:pks) as wanted
join jobs on jobs.pk = wanted.value
join delayed on delayed.due_at = jobs.scheduled_for and delayed.job = jobs.pk
union all
select 'gated', gated.job, gated.revision, gated.lane
from json_each(:pks) as wanted join gated on gated.job = wanted.value
union all
select 'claim', claims.job, claims.revision, null
from json_each(:pks) as wanted join claims on claims.job = wanted.value;

-- name: straySeats
-- A seat must belong to a job that is queued (phase 1) at the same revision; a claim, to one that it has moved on or that
-- is running (phase 2).
select 'ready' as seat, ready.job, ready.revision from ready left join jobs on jobs.pk = ready.job
where jobs.pk is null or jobs.phase <> 1 or jobs.revision <> ready.revision
  or jobs.priority <> ready.priority or jobs.position <> ready.position
  or ready.lane not in (2 * jobs.type, 2 * jobs.type + 1) or ready.namespace <> jobs.namespace
union all
select 'delayed', delayed.job, delayed.revision from delayed left join jobs on jobs.pk = delayed.job
where jobs.pk is null or jobs.phase <> 1 or jobs.revision <> delayed.revision or jobs.scheduled_for <> delayed.due_at
  or delayed.namespace <> jobs.namespace
union all
select 'gated', gated.job, gated.revision from gated left join jobs on jobs.pk = gated.job
where jobs.pk is null or jobs.phase <> 1 or jobs.revision <> gated.revision
  or jobs.priority <> gated.priority or jobs.position <> gated.position
  or gated.lane not in (2 * jobs.type, 2 * jobs.type + 1) or gated.namespace <> jobs.namespace
union all
select 'permit', permits.job, 0 from permits
left join jobs on jobs.pk = permits.job left join claims on claims.job = permits.job
where permits.kind = 0 and claims.job is null
  -- An open attempt (state 1) that waits for something, or for a worker to go on with it.
  and (jobs.pk is null or not (jobs.phase = 3 or jobs.phase = 1 and jobs.state = 1))
union all
-- What runs below a limited path counts against its limit.
select 'no permit', claims.job, claims.revision from limits
cross join claims join jobs on jobs.pk = claims.job
where limits.key >= '/' and limits.key < '0'
  and (jobs.name = limits.key or (jobs.name >= limits.key || '/' and jobs.name < limits.key || '0'))
  and not exists (
    select 1 from permits where permits.limit_id = limits.id and permits.kind = 0 and permits.job = claims.job
  )
union all
select 'claim', claims.job, claims.revision from claims left join jobs on jobs.pk = claims.job
where jobs.pk is null or exists (select 1 from runs where runs.job = jobs.pk and runs.ends = 1)
  or not (jobs.phase = 1 and jobs.revision + 1 = claims.revision or jobs.phase = 2 and jobs.revision = claims.revision);

-- name: handlesOf
select 'name' as handle, names.job from json_each(:pks) as wanted
join jobs on jobs.pk = wanted.value join names on names.name = jobs.name and names.job = jobs.pk
union all
select 'key', keys.job from json_each(:pks) as wanted
join jobs on jobs.pk = wanted.value
join keys on keys.namespace = jobs.namespace and keys.type = jobs.type and keys.key = jobs.key and keys.job = jobs.pk;

-- name: strayHandles
-- A name or key that no live job has would be taken for ever.
select 'name' as seat, names.job, 0 as revision from names left join jobs on jobs.pk = names.job
where jobs.pk is null or jobs.released <> 0 or jobs.name <> names.name
  or exists (select 1 from runs where runs.job = jobs.pk and runs.ends = 1)
union all
select 'key', keys.job, 0 from keys left join jobs on jobs.pk = keys.job
where jobs.pk is null or jobs.released <> 0
  or exists (select 1 from runs where runs.job = jobs.pk and runs.ends = 1)
  or (keys.namespace, keys.type, keys.key) <> (jobs.namespace, jobs.type, jobs.key);

-- name: nextPositionUp
-- Those that wait at a gate have their place in the order, too: they come back to it.
select min(position) as position from (
  select (
    select position from ready where ready.lane = lanes.lane and priority = :priority and position > :from
    order by position limit 1
  ) as position
  from (select 2 * id as lane from types union all select 2 * id + 1 from types) as lanes
  union all select min(position) from gated where priority = :priority and position > :from
);

-- name: nextPositionDown
select max(position) as position from (
  select (
    select position from ready where ready.lane = lanes.lane and priority = :priority and position < :from
    order by position desc limit 1
  ) as position
  from (select 2 * id as lane from types union all select 2 * id + 1 from types) as lanes
  union all select max(position) from gated where priority = :priority and position < :from
);

-- name: readyAt
select ready.job as pk from (select 2 * id as lane from types union all select 2 * id + 1 from types) as lanes
join ready on ready.lane = lanes.lane and priority = :priority and position = :position
union all select job from gated where priority = :priority and position = :position;

-- name: queueOfLane
select job, priority, position from ready where lane = :lane order by priority desc, position, job limit :limit;
