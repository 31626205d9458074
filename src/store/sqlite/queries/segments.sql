-- name: endOfLog
select cast(coalesce(max(log_id), 0) as text) as cursor from events;

-- name: entriesToWalkOver
-- Never the newest entry of the log: the number of the next one follows from it.
select cast(log_id as text) as position, received_at as receivedAt, length(attributes) as bytes from events
where log_id > :after and log_id < (select max(log_id) from events) order by log_id limit :limit;

-- name: entriesWithin
select events.*, coalesce(jobs.id, past_jobs.id) as job_id, coalesce(jobs.name, past_jobs.name) as job_name,
  jobs.pk is not null as is_of_job
from events
left join jobs on jobs.pk = events.job
left join past_jobs on past_jobs.pk = events.job and jobs.pk is null
where events.log_id > :after and events.log_id <= :upto order by events.log_id;

-- name: allowRemovals
insert into removals (log_id) select value from json_each(:log_ids);

-- name: removeEntries
-- What a job that is there is derived from stays.
delete from events where log_id in (select log_id from removals) and log_id > :after and log_id <= :upto
  and not exists (select 1 from jobs where jobs.pk = events.job)
returning log_id, job, received_at;

-- name: forgetRows
delete from event_rows where (job, log_id) in (select value ->> 0, value ->> 1 from json_each(:rows));

-- name: forbidRemovals
delete from removals;

-- name: insertSegment
insert into segments (file, checksum, count, first_id, last_id, first_at, last_at, archived_at)
values (:file, :checksum, :count, :first_id, :last_id, :first_at, :last_at, :archived_at);

-- name: segmentOfFile
select * from segments where file = :file;

-- name: segmentPage
select * from segments where :before is null or pk < :before order by pk desc limit :limit;
