-- name: addMember
insert into members (group_pk, seq, job) values (:group_pk, :seq, :job);

-- name: removeMember
delete from members where group_pk = :group_pk and job = :job;

-- name: membersUp
-- Phase 4 is final.
select members.group_pk, members.seq, members.job from members join jobs on jobs.pk = members.job
where members.group_pk = :group and members.seq > :from and (not :live or jobs.phase <> 4)
order by members.seq limit :limit;

-- name: membersDown
select members.group_pk, members.seq, members.job from members join jobs on jobs.pk = members.job
where members.group_pk = :group and members.seq < :from and (not :live or jobs.phase <> 4)
order by members.seq desc limit :limit;

-- name: waitingMembers
select job from waits where on_job = :group order by job limit :limit;

-- name: releaseMember
delete from waits where on_job = :group and job = :job;

-- name: groupsAudited
-- Counts anew what groups keep. Outcomes are numbered as in encoding.ts.
select records.*, count(members.job) as total,
  count(*) filter (where jobs.phase = 4 and jobs.cancelled = 0 and jobs.outcome = 0) as completed,
  count(*) filter (where jobs.phase = 4 and jobs.cancelled = 0 and jobs.outcome = 1) as failed,
  count(*) filter (where jobs.phase = 4 and jobs.cancelled = 1) as cancelled,
  count(*) filter (where jobs.phase = 4 and jobs.cancelled = 0 and jobs.outcome = 2) as skipped,
  count(waits.job) as waiting,
  exists (select 1 from follow_ups where follow_ups.job = records.pk) as is_followed_up
from json_each(:pks) as wanted
join records on records.pk = wanted.value and records.kind = 3
left join members on members.group_pk = records.pk
left join jobs on jobs.pk = members.job
left join waits on waits.on_job = records.pk and waits.job = members.job
group by records.pk;

-- name: strayMembers
-- A member must be a job that says so.
select 'member' as seat, members.job, 0 as revision from members
left join jobs on jobs.pk = members.job left join records on records.pk = members.group_pk and records.kind = 3
where jobs.pk is null or records.pk is null or jobs.group_id is not records.id;
