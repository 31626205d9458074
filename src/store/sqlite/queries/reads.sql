-- name: treeNames
-- Jumps along the index: behind a job of exactly a name to the next name, behind what is below a component to the first name
-- that is not. Tasks, whose last component is a number, are passed over.
with recursive step (name, nth) as (
  select :prefix || :after, 0
  union all
  select (
    select jobs.name from jobs
    where jobs.name >= case instr(substr(step.name, length(:prefix) + 1), '/')
        when 0 then step.name || char(1)
        else :prefix || substr(step.name, length(:prefix) + 1, instr(substr(step.name, length(:prefix) + 1), '/') - 1) || '0'
      end
      and jobs.name < :until
      and (substr(jobs.name, length(:prefix) + 1) glob '*[^0-9]*' or substr(jobs.name, length(:prefix) + 1) glob '0?*'
        or length(substr(jobs.name, length(:prefix) + 1)) > 15)
    order by jobs.name limit 1
  ), nth + 1
  from step where step.name is not null and nth < :steps
)
select name from step where nth > 0 and name is not null;

-- name: treeNodes
-- Whether something other than tasks is below is asked of what does not begin with a digit, and of the first that does.
select wanted.value as path,
  exists (select 1 from jobs where jobs.name = wanted.value) as job,
  (exists (select 1 from jobs where jobs.name > wanted.value || '/' and jobs.name < wanted.value || '/0')
    or exists (select 1 from jobs where jobs.name >= wanted.value || '/:' and jobs.name < wanted.value || '0')
    or exists (
      select 1 from (
        select substr(jobs.name, length(wanted.value) + 2) as rest from jobs
        where jobs.name >= wanted.value || '/0' and jobs.name < wanted.value || '/:' order by jobs.name limit :looked_max
      ) where rest glob '*[^0-9]*' or rest glob '0?*' or length(rest) > 15
    )) as branch,
  (select count(*) from names where names.name = wanted.value) + (
    select count(*) from (
      select 1 from names where names.name > wanted.value || '/' and names.name < wanted.value || '0'
      order by names.name limit :count_max + 1
    )
  ) as live,
  (select count(*) from (select 1 from jobs where jobs.name = wanted.value limit :looked_max)) + (
    select count(*) from (
      select 1 from jobs where jobs.name > wanted.value || '/' and jobs.name < wanted.value || '0'
      order by jobs.name limit :looked_max
    )
  ) as total
from json_each(:paths) as wanted;

-- name: treeEnded
-- Of the first jobs at and below a path, how many are over.
select wanted.value as path, (
  select count(*) from (
    select name, pk from (
      select name, pk from jobs where jobs.name = wanted.value order by pk limit :looked_max
    )
    union all
    select name, pk from (
      select name, pk from jobs where jobs.name > wanted.value || '/' and jobs.name < wanted.value || '0'
      order by name, pk limit :looked_max
    )
    limit :looked_max
  ) as looked
  where not exists (select 1 from names where names.name = looked.name and names.job = looked.pk)
) as ended
from json_each(:paths) as wanted;

-- name: depthsReady
-- Lanes are two for each type. The job that was made first is the oldest.
select seats.namespace, types.name as type, seats.count, jobs.scheduled_for as oldest from (
  select lane / 2 as type, namespace, count(*) as count, min(job) as first from ready group by 1, 2
) as seats
join types on types.id = seats.type
left join jobs on jobs.pk = seats.first;

-- name: depthsDelayed
select seats.namespace, types.name as type, seats.count from (
  select lane / 2 as type, namespace, count(*) as count from delayed group by 1, 2
) as seats
join types on types.id = seats.type;

-- name: depthsGated
select seats.namespace, types.name as type, seats.count from (
  select lane / 2 as type, namespace, count(*) as count from gated group by 1, 2
) as seats
join types on types.id = seats.type;

-- name: depthsRunning
select jobs.namespace, types.name as type, count(*) as count
from claims join jobs on jobs.pk = claims.job join types on types.id = jobs.type
group by 1, 2;
