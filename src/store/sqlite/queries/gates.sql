-- name: addLimit
insert into limits (key) values (:key) on conflict do nothing;

-- name: setConcurrency
update limits set concurrency = :concurrency where key = :key and concurrency is not :concurrency returning id;

-- name: setRate
update limits set rate_count = :rate_count, rate_ms = :rate_ms
where key = :key and (rate_count is not :rate_count or rate_ms is not :rate_ms) returning id;

-- name: removeLimit
delete from limits where key = :key returning id;

-- name: removePermitsOfLimit
delete from permits where limit_id = :id;

-- name: holdRunningBelow
-- A new limit of a path counts what is open there already: what runs, and what waits for something outside (phase 3), which
-- is nobody's claim but always has its name. A job that waits for its tasks, or for the value of another, holds nothing: they do.
insert into permits (limit_id, kind, job, release_at)
select limits.id, 0, open.job, null from limits
join (
  select claims.job, jobs.name from claims join jobs on jobs.pk = claims.job
  union all
  select names.job, names.name from names join jobs on jobs.pk = names.job
  where jobs.phase = 3 and not exists (select 1 from sharded where sharded.job = jobs.pk)
    and jobs.detail ->> 'output' is null
    and (names.name = :path or (names.name >= :path || '/' and names.name < :path || '0'))
) as open
where limits.key = :path and (open.name = :path or (open.name >= :path || '/' and open.name < :path || '0'))
  and not exists (select 1 from permits where permits.limit_id = limits.id and permits.kind = 0 and permits.job = open.job);

-- name: hasPathGates
select 1 as has where exists (select 1 from pauses where path is not null)
  or exists (select 1 from limits where key >= '/' and key < '0');

-- name: pausedPaths
select id, path from pauses where path is not null order by path;

-- name: pausedTypes
select type from pauses where type is not null;

-- name: pathLimits
select key from limits where key >= '/' and key < '0' order by key;

-- name: limitStates
select limits.id, limits.key, limits.concurrency, limits.rate_count, limits.rate_ms,
  (select count(*) from permits where permits.limit_id = limits.id and permits.kind = 0) as held,
  (select count(*) from permits where permits.limit_id = limits.id and permits.kind = 1) as started
from limits
where (:keys is null or limits.key in (select value from json_each(:keys)))
  and (:ids is null or limits.id in (select value from json_each(:ids)))
order by limits.key;

-- name: waitingAt
-- For people who look: there may be many, and nothing is decided by it.
select gate as id, count(*) as waiting from gated where gate > 0 group by gate;

-- name: limitIds
select id from limits where key in (select value from json_each(:keys));

-- name: insertPermit
insert into permits (limit_id, kind, job, release_at) values (:limit_id, :kind, :job, :release_at);

-- name: anyPermit
select 1 as has from permits limit 1;

-- name: holdsLimit
select 1 as holds from permits where kind = 0 and job = :job limit 1;

-- name: freePermits
delete from permits where kind = 0 and job = :job returning limit_id;

-- name: freePathPermits
delete from permits where kind = 0 and job = :job and limit_id in (select id from limits where key >= '/' and key < '0')
returning limit_id;

-- name: expirePermits
delete from permits where release_at is not null and release_at <= :now returning limit_id;

-- name: readySeatOf
select ready.lane, ready.priority, ready.position, ready.job, ready.revision, ready.not_after, ready.limited,
  ready.namespace
from jobs join ready on ready.lane in (2 * jobs.type, 2 * jobs.type + 1) and ready.priority = jobs.priority
  and ready.position = jobs.position and ready.job = jobs.pk
where jobs.pk = :job;

-- name: insertGated
insert into gated (gate, lane, priority, position, job, revision, not_after, limited, namespace)
values (:gate, :lane, :priority, :position, :job, :revision, :not_after, :limited, :namespace);

-- name: lanesAtGate
select distinct lane from gated where gate = :gate;

-- name: firstAtGate
select lane, priority, position, job, revision, not_after, limited, namespace from gated
where gate = :gate and lane = :lane order by priority desc, position, job limit :limit;

-- name: leaveGate
delete from gated where job = :job;

-- name: insertPause
insert into pauses (path, type, reason, since) values (:path, :type, :reason, :since)
on conflict do nothing;

-- name: removePause
delete from pauses where path is :path and type is :type returning id;

-- name: allPauses
select pauses.path, types.name as type, pauses.reason, pauses.since
from pauses left join types on types.id = pauses.type order by pauses.since, pauses.id;

-- name: gateOfJob
select jobs.name, jobs.type, gated.gate from jobs left join gated on gated.job = jobs.pk where jobs.id = :id;

-- name: pausedPathsWithReason
select id, path, reason from pauses where path is not null order by path;

-- name: pauseOfType
select pauses.reason, types.name as type from pauses join types on types.id = pauses.type where pauses.type = :type;

-- name: holdersOf
select jobs.name from permits join jobs on jobs.pk = permits.job
where permits.limit_id = :id and permits.kind = 0 order by permits.pk limit :limit;
