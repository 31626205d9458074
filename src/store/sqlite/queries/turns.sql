-- name: makeNamespaceIndex
-- For claims that are bound to branches or take turns between namespaces. Where there are none it would only cost. They name
-- it, because the planner would rather go along the whole lane.
create index if not exists ready_namespace on ready (lane, namespace, priority desc, position, job);

-- name: nextNamespace
select namespace from ready indexed by ready_namespace
where lane = :lane and namespace > :after and (:until is null or namespace <= :until) order by namespace limit 1;

-- name: isReadyIn
select 1 as ready from ready indexed by ready_namespace where lane = :lane and namespace = :namespace limit 1;

-- name: readyInNamespace
select lane, job, priority, position, limited from ready indexed by ready_namespace
where lane = :lane and namespace = :namespace and (not_after is null or not_after > :now)
order by priority desc, position, job limit :limit;

-- name: liveAtOrBelow
select job from names where name = :path
union all select job from names where name > :path || '/' and name < :path || '0' limit :limit;

-- name: readyOfJobs
select ready.lane, ready.job, ready.priority, ready.position, ready.limited
from json_each(:jobs) as live
cross join jobs on jobs.pk = live.value
cross join ready on ready.lane = 2 * jobs.type + :suspect and ready.priority = jobs.priority
  and ready.position = jobs.position and ready.job = jobs.pk
where ready.not_after is null or ready.not_after > :now;

-- name: readyBelow
-- In the order of the queue, and by name among all of the namespace. The other way around all below the path would be sorted.
select ready.lane, ready.job, ready.priority, ready.position, ready.limited
from ready indexed by ready_namespace cross join jobs on jobs.pk = ready.job
where ready.lane = :lane and ready.namespace = :namespace
  and (jobs.name = :path or (jobs.name > :path || '/' and jobs.name < :path || '0'))
  and (ready.not_after is null or ready.not_after > :now)
order by ready.priority desc, ready.position, ready.job limit :limit;
