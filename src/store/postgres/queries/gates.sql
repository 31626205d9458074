-- name: setLimits
-- In order, so that two transactions that set the same limits cannot wait for each other in a circle.
insert into stint.limits (key, concurrency, rate_count, rate_ms)
select key, concurrency, rate_count, rate_ms
from unnest(
  :key::text[], :sets_concurrency::boolean[], :concurrency::integer[], :sets_rate::boolean[], :rate_count::integer[],
  :rate_ms::bigint[]
) as given(key, sets_concurrency, concurrency, sets_rate, rate_count, rate_ms)
order by key
on conflict (key) do nothing;

-- name: changeLimits
-- What is not said stays as it is, and is not written.
update stint.limits set
  concurrency = case when given.sets_concurrency then given.concurrency else limits.concurrency end,
  rate_count = case when given.sets_rate then given.rate_count else limits.rate_count end,
  rate_ms = case when given.sets_rate then given.rate_ms else limits.rate_ms end
from unnest(
  :key::text[], :sets_concurrency::boolean[], :concurrency::integer[], :sets_rate::boolean[], :rate_count::integer[],
  :rate_ms::bigint[]
) as given(key, sets_concurrency, concurrency, sets_rate, rate_count, rate_ms)
where limits.key = given.key
  and (given.sets_concurrency and limits.concurrency is distinct from given.concurrency
    or given.sets_rate and (limits.rate_count, limits.rate_ms) is distinct from (given.rate_count, given.rate_ms))
returning limits.id;

-- name: removeLimit
with gone as (delete from stint.limits where key = :key::text returning id),
permits as (delete from stint.permits where limit_id in (select id from gone))
select id from gone;

-- name: shutOutClaims
-- Waits for all claims that are under way, and keeps others from beginning: a claim that began before does not see what is set now.
select pg_advisory_xact_lock(1937010292, :barrier::integer);

-- name: letClaimIn
-- The other side of it. What a claim is to see, it looks at in a later statement.
select pg_advisory_xact_lock_shared(1937010292, :barrier::integer);

-- name: holdRunningBelow
-- A new limit of a path counts what is open there already: what runs, and what waits for something outside (phase 3), which
-- is nobody's claim but always has its name. A job that waits for its tasks, or for the value of another, holds nothing: they do.
with held as (
insert into stint.permits (limit_id, kind, job)
select limits.id, 0, open.job from stint.limits
cross join (
  select claims.job, jobs.name from stint.claims join stint.jobs on jobs.pk = claims.job
  union all
  select names.job, names.name from stint.names join stint.jobs on jobs.pk = names.job
  where jobs.phase = 3 and not exists (select from stint.sharded where sharded.job = jobs.pk)
    and jobs.detail::json ->> 'output' is null
    and (names.name = :path::text or (names.name >= :path::text || '/' and names.name < :path::text || '0'))
) as open
where limits.key = :path::text
  and (open.name = :path::text or (open.name >= :path::text || '/' and open.name < :path::text || '0'))
  and not exists (
    select from stint.permits where permits.limit_id = limits.id and permits.kind = 0 and permits.job = open.job
  )
returning job
)
select jobs.id from held join stint.jobs on jobs.pk = held.job;

-- name: pausedPaths
select id, path, reason from stint.pauses where path is not null order by path;

-- name: holdPausedPaths
-- Whoever resumes waits for a claim that has seen the pause, and then finds what it parked there. Else a job could be parked
-- at a gate that is gone, and nobody would ever open it.
select id, path from stint.pauses where path is not null order by path for key share;

-- name: pathLimits
select key from stint.limits where key >= '/' and key < '0' order by key;

-- name: lockFreeLimits
-- Those that another transaction holds are left out: nobody waits for a limit in order to claim.
select id from stint.limits where key = any(:keys::text[]) order by id for update skip locked;

-- name: limitKeys
select key from stint.limits where key = any(:keys::text[]);

-- name: waitingAt
-- For people who look: there may be many, and nothing is decided by it.
select gate as id, count(*) as waiting from stint.gated where gate > 0 group by gate;

-- name: limitIds
select id from stint.limits where key = any(:keys::text[]);

-- name: lockLimits
select id from stint.limits where id = any(:ids::integer[]) order by id for update;

-- name: limitStates
select limits.id, limits.key, limits.concurrency, limits.rate_count, limits.rate_ms,
  (select count(*) from stint.permits where permits.limit_id = limits.id and permits.kind = 0) as held,
  (select count(*) from stint.permits where permits.limit_id = limits.id and permits.kind = 1) as started
from stint.limits where :ids::integer[] is null or limits.id = any(:ids::integer[])
order by limits.key;

-- name: parkJobs
with wanted as materialized (
  select * from unnest(:pks::bigint[], :gates::integer[]) as w(pk, gate)
),
seats as materialized (
  select ready.ctid as place, wanted.gate from wanted
  join stint.jobs on jobs.pk = wanted.pk and jobs.pk = any(:pks::bigint[])
  cross join lateral (
    select ready.ctid from stint.ready
    where ready.lane in (2 * jobs.type, 2 * jobs.type + 1) and ready.priority = jobs.priority
      and ready.position = jobs.position and ready.job = jobs.pk
    offset 0
  ) as ready
),
left_ready as (
  delete from stint.ready where ctid = any(array(select place from seats))
  returning lane, priority, position, job, revision, not_after, limited, namespace
)
insert into stint.gated (gate, lane, priority, position, job, revision, not_after, limited, namespace)
select wanted.gate, lane, priority, position, job, revision, not_after, limited, namespace
from left_ready join wanted on wanted.pk = left_ready.job;

-- name: addPermits
insert into stint.permits (limit_id, kind, job, release_at)
select * from unnest(:limit_id::integer[], :kind::smallint[], :job::bigint[], :release_at::bigint[]);

-- name: freePermits
-- returns: limit_id integer
delete from stint.permits where kind = 0 and job = any(:pks::bigint[]) returning limit_id;

-- name: freePathPermits
delete from stint.permits where kind = 0 and job = any(:pks::bigint[])
  and limit_id in (select id from stint.limits where key >= '/' and key < '0')
returning limit_id;

-- name: expirePermits
delete from stint.permits where ctid = any(array(
  select ctid from stint.permits where release_at is not null and release_at <= :now::bigint for update skip locked
)) returning limit_id;

-- name: openGate
-- The first of each lane, but for those that somebody is at: whoever cancels or edits a job gives it another seat.
with first as materialized (
  select seat.place from (select distinct lane from stint.gated where gate = :gate::integer) as lanes
  cross join lateral (
    select ctid as place from stint.gated where gated.gate = :gate::integer and gated.lane = lanes.lane
    order by priority desc, position, job limit :count::integer for update skip locked
  ) as seat
),
opened as (
  delete from stint.gated where ctid = any(array(select place from first))
  returning lane, priority, position, job, revision, not_after, limited, namespace
),
ready as (
  insert into stint.ready (lane, priority, position, job, revision, not_after, limited, namespace) select * from opened
)
select coalesce(max(count), 0)::integer as most from (select count(*) from opened group by lane) as counts;

-- name: insertPause
insert into stint.pauses (path, type, reason, since) values (:path::text, :type::integer, :reason::text, :since)
on conflict do nothing;

-- name: removePause
delete from stint.pauses where path is not distinct from :path::text and type is not distinct from :type::integer
returning id;

-- name: allPauses
select pauses.path, types.name as type, pauses.reason, pauses.since
from stint.pauses left join stint.types on types.id = pauses.type order by pauses.since, pauses.id;

-- name: gatesOfJobs
select jobs.id as job_id, jobs.name, gated.gate, types.name as type, pauses.reason, pauses.id is not null as type_paused
from stint.jobs
join stint.types on types.id = jobs.type
left join stint.gated on gated.job = jobs.pk
left join stint.pauses on pauses.type = jobs.type
where jobs.id = any(:ids::uuid[]);

-- name: holdersOf
select jobs.name from stint.permits join stint.jobs on jobs.pk = permits.job
where permits.limit_id = :id::integer and permits.kind = 0 limit :limit;
