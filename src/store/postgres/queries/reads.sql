-- name: treeNames
-- Jumps along the index: behind a job of exactly a name to the next name, behind what is below a component to the first name
-- that is not. Tasks, whose last component is a number, are passed over.
with recursive step (name, nth) as (
  select (:prefix::text || :after::text) collate "C", 0
  union all
  select (
    select jobs.name from stint.jobs
    where jobs.name >= case strpos(substr(step.name, length(:prefix::text) + 1), '/')
        when 0 then step.name || chr(1)
        else :prefix::text || split_part(substr(step.name, length(:prefix::text) + 1), '/', 1) || '0'
      end
      and jobs.name < :until::text
      and substr(jobs.name, length(:prefix::text) + 1) !~ '^(0|[1-9][0-9]{0,14})$'
    order by jobs.name limit 1
  ), nth + 1
  from step where step.name is not null and nth < :steps::integer
)
select name from step where nth > 0 and name is not null;

-- name: treeNodes
-- Whether something other than tasks is below is asked of what does not begin with a digit, and of the first that does.
select wanted.path,
  exists (select from stint.jobs where jobs.name = wanted.path) as job,
  (exists (select from stint.jobs where jobs.name > wanted.path || '/' and jobs.name < wanted.path || '/0')
    or exists (select from stint.jobs where jobs.name >= wanted.path || '/:' and jobs.name < wanted.path || '0')
    or exists (
      select from (
        select substr(jobs.name, length(wanted.path) + 2) as rest from stint.jobs
        where jobs.name >= wanted.path || '/0' and jobs.name < wanted.path || '/:'
        order by jobs.name limit :looked_max::integer
      ) as numbered where rest !~ '^(0|[1-9][0-9]{0,14})$'
    )) as branch,
  (select count(*) from stint.names where names.name = wanted.path) + (
    select count(*) from (
      select from stint.names where names.name > wanted.path || '/' and names.name < wanted.path || '0'
      order by names.name limit :count_max::integer + 1
    ) as live
  ) as live,
  (
    select count(*) from (
      select from stint.jobs where jobs.name = wanted.path order by jobs.pk limit :looked_max::integer
    ) as same
  ) + (
    select count(*) from (
      select from stint.jobs where jobs.name > wanted.path || '/' and jobs.name < wanted.path || '0'
      order by jobs.name limit :looked_max::integer
    ) as below
  ) as total
from unnest(:paths::text[]) as wanted(path);

-- name: treeEnded
-- Of the first jobs at and below a path, how many are over.
select wanted.path, (
  select count(*) from (
    (select name, pk from stint.jobs where jobs.name = wanted.path order by pk limit :looked_max::integer)
    union all
    (
      select name, pk from stint.jobs where jobs.name > wanted.path || '/' and jobs.name < wanted.path || '0'
      order by name, pk limit :looked_max::integer
    )
    limit :looked_max::integer
  ) as looked
  where not exists (select from stint.names where names.name = looked.name and names.job = looked.pk)
) as ended
from unnest(:paths::text[]) as wanted(path);

-- name: depthsReady
-- Lanes are two for each type. The job that was made first is the oldest.
select seats.namespace, types.name as type, seats.count, jobs.scheduled_for as oldest from (
  select lane / 2 as type, namespace, count(*) as count, min(job) as first from stint.ready group by 1, 2
) as seats
join stint.types on types.id = seats.type
left join stint.jobs on jobs.pk = seats.first;

-- name: depthsDelayed
select seats.namespace, types.name as type, seats.count from (
  select lane / 2 as type, namespace, count(*) as count from stint.delayed group by 1, 2
) as seats
join stint.types on types.id = seats.type;

-- name: depthsGated
select seats.namespace, types.name as type, seats.count from (
  select lane / 2 as type, namespace, count(*) as count from stint.gated group by 1, 2
) as seats
join stint.types on types.id = seats.type;

-- name: depthsRunning
select jobs.namespace, types.name as type, count(*) as count
from stint.claims join stint.jobs on jobs.pk = claims.job join stint.types on types.id = jobs.type
group by 1, 2;
