-- name: promoteDue
-- What a claim does that needs no other statement, for those that do.
with due as materialized (
  select ctid as place, job, revision, lane, priority, position, not_after, limited, namespace from stint.delayed
  where due_at <= :now::bigint order by due_at limit 1000 for update skip locked
),
no_longer_delayed as (
  delete from stint.delayed where ctid = any(array(select place from due))
)
insert into stint.ready (lane, priority, position, job, revision, not_after, limited, namespace)
select lane, priority, position, job, revision, not_after, limited, namespace from due;

-- name: seatsOfBranches
-- The first jobs of each share, held until the end of the transaction. A share has one branch or more; one without a path is
-- a whole namespace. Of a path with few live jobs all are looked at, by name; else the queue of the whole namespace, up to
-- so many that are below the path.
-- plans: lists of keys
-- returns: place tid, pk bigint, suspect integer, name text, namespace text, state smallint, options text, scheduled_for bigint, group_id text
with open_lanes as materialized (
  select lane from unnest(:lanes::integer[]) as l(lane) where lane / 2 not in (select type from stint.pauses where type is not null)
),
branches as materialized (
  select share, namespace, path, count, case when path is not null then array(
    select job from stint.names where name = path
    union all select job from stint.names where name > path || '/' and name < path || '0' limit :few::integer + 1
  ) end as live
  from unnest(:share::integer[], :namespace::text[], :path::text[], :count::integer[]) as b(share, namespace, path, count)
),
along as materialized (
  select share, namespace, path, lane, case when lane % 2 = 1 then :suspect_limit::integer else count end as most
  from branches cross join open_lanes where path is null or cardinality(live) > :few::integer
),
by_name as materialized (
  select share, suspect, case when suspect = 1 then :suspect_limit::integer else count end as most, array(
    select seat.place from stint.jobs cross join lateral (
      select ready.ctid as place from stint.ready
      where ready.lane = 2 * jobs.type + suspect and ready.priority = jobs.priority and ready.position = jobs.position
        and ready.job = jobs.pk and ready.lane in (select lane from open_lanes)
      offset 0
    ) as seat
    where jobs.pk = any(live)
  ) as places
  from branches cross join (values (0), (1)) as s(suspect) where cardinality(live) <= :few::integer
),
pool as materialized (
  select along.share, along.most, head.* from along cross join lateral (
    select ctid as place, job, lane, priority, position from stint.ready
    -- One namespace, said as a range of which the planner cannot guess that it is narrow, and in the order of the index.
    -- Else it goes along the whole lane or sorts the whole namespace, as its statistics have it.
    where ready.lane = along.lane and ready.namespace >= along.namespace
      and (ready.namespace, ready.lane) <= (along.namespace, along.lane)
      and (not_after is null or not_after > :now::bigint)
      -- Not a join: it would let the planner begin with the names.
      and (along.path is null or (
        select jobs.name = along.path or (jobs.name > along.path || '/' and jobs.name < along.path || '0')
        from stint.jobs where jobs.pk = ready.job
      ))
    order by ready.namespace, priority desc, position, job limit along.most for update skip locked
  ) as head
  union all
  select by_name.share, by_name.most, head.* from by_name cross join lateral (
    select ctid as place, job, lane, priority, position from stint.ready
    where ctid = any(by_name.places) and (not_after is null or not_after > :now::bigint)
    order by priority desc, position, job limit by_name.most for update skip locked
  ) as head
),
ranked as (
  select pool.*, row_number() over (partition by share, lane % 2 order by priority desc, position, job) as nth from pool
),
first as materialized (
  select * from ranked where nth <= most
)
select first.place, first.job as pk, first.lane % 2 as suspect, jobs.name, jobs.namespace, jobs.state, jobs.options, jobs.scheduled_for,
  jobs.group_id
from first join stint.jobs on jobs.pk = first.job
-- The keys said twice: without the list the planner may read the whole table to find these.
where jobs.pk = any(array(select job from first))
order by first.priority desc, first.position, first.job;

-- name: readyNamespaces
-- From one namespace to the next, and not over all that is ready in each.
-- returns: namespace text
with recursive open_lanes as materialized (
  select lane from unnest(:lanes::integer[]) as l(lane) where lane / 2 not in (select type from stint.pauses where type is not null)
),
namespaces as (
  select (
    select min(head.namespace) from open_lanes cross join lateral (
      select namespace from stint.ready where ready.lane = open_lanes.lane and ready.namespace > :after::text
      order by namespace limit 1
    ) as head
  ) as namespace, 1 as nth
  union all
  select (
    select min(head.namespace) from open_lanes cross join lateral (
      select namespace from stint.ready where ready.lane = open_lanes.lane and ready.namespace > namespaces.namespace
      order by namespace limit 1
    ) as head
  ), nth + 1
  from namespaces where namespace is not null and nth < :limit::integer
    and (:until::text is null or namespace < :until::text)
)
select namespace from namespaces where namespace is not null and (:until::text is null or namespace <= :until::text);

-- name: readyAmongNamespaces
-- returns: namespace text
select namespace from unnest(:namespaces::text[]) with ordinality as n(namespace, nth)
where exists (
  select from unnest(:lanes::integer[]) as l(lane) cross join lateral (
    select from stint.ready
    where ready.lane = l.lane and ready.namespace >= n.namespace and (ready.namespace, ready.lane) <= (n.namespace, l.lane)
    order by ready.namespace limit 1
  ) as head
)
order by nth;
