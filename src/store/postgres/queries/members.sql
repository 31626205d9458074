-- name: addMembers
insert into stint.members (group_pk, seq, job)
select * from unnest(:group_pk::bigint[], :seq::bigint[], :job::bigint[]);

-- name: removeMembers
delete from stint.members where group_pk = :group::bigint and job = any(:jobs::bigint[]);

-- name: membersUp
-- Phase 4 is final.
select members.group_pk, members.seq, members.job from stint.members join stint.jobs on jobs.pk = members.job
where members.group_pk = :group::bigint and members.seq > :from::bigint and (not :live::boolean or jobs.phase <> 4)
order by members.seq limit :limit;

-- name: membersDown
select members.group_pk, members.seq, members.job from stint.members join stint.jobs on jobs.pk = members.job
where members.group_pk = :group::bigint and members.seq < :from::bigint and (not :live::boolean or jobs.phase <> 4)
order by members.seq desc limit :limit;

-- name: waitingMembers
select job from stint.waits where on_job = :group::bigint order by job limit :limit;

-- name: releaseMembers
delete from stint.waits where on_job = :group::bigint and job = any(:jobs::bigint[]) returning job;

-- name: groupsAudited
-- Counts anew what groups keep. Outcomes are numbered as in encoding.ts.
select records.*, count(members.job) as total,
  count(*) filter (where jobs.phase = 4 and jobs.cancelled = 0 and jobs.outcome = 0) as completed,
  count(*) filter (where jobs.phase = 4 and jobs.cancelled = 0 and jobs.outcome = 1) as failed,
  count(*) filter (where jobs.phase = 4 and jobs.cancelled = 1) as cancelled,
  count(*) filter (where jobs.phase = 4 and jobs.cancelled = 0 and jobs.outcome = 2) as skipped,
  count(waits.job) as waiting,
  exists (select from stint.follow_ups where follow_ups.job = records.pk) as is_followed_up
from stint.records
left join stint.members on members.group_pk = records.pk
left join stint.jobs on jobs.pk = members.job
left join stint.waits on waits.on_job = records.pk and waits.job = members.job
where records.kind = 3 and records.pk = any(:pks::bigint[])
group by records.pk;

-- name: strayMembers
-- A member must be a job that says so.
select 'member' as seat, members.job, 0 as revision from stint.members
left join stint.jobs on jobs.pk = members.job left join stint.records on records.pk = members.group_pk and records.kind = 3
where jobs.pk is null or records.pk is null or jobs.group_id is distinct from records.id::text;
