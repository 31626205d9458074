-- name: endOfLog
-- Behind the last transaction that is sure to be over, whatever its last entry is. Some that is newer may be there already.
select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + :tx_offset::bigint - 1 || '.999999999999999' as cursor;

-- name: entriesToWalkOver
-- As readers see the log: nothing can appear behind. Never the newest entry: after a restore into another cluster, the place of
-- the next one follows from it.
select tx || '.' || log_id as position, received_at as "receivedAt", length(attributes) as bytes from stint.events
where (tx, log_id) > (:after_tx::bigint, :after_log_id::bigint)
  and tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + :tx_offset::bigint
  and (tx, log_id) < (select tx, log_id from stint.events order by tx desc, log_id desc limit 1)
order by tx, log_id limit :limit;

-- name: entriesWithin
select events.*, coalesce(jobs.id, past_jobs.id) as job_id, coalesce(jobs.name, past_jobs.name) as job_name,
  jobs.pk is not null as is_of_job
from stint.events
left join stint.jobs on jobs.pk = events.job
left join stint.past_jobs on past_jobs.pk = events.job and jobs.pk is null
where (events.tx, events.log_id) > (:after_tx::bigint, :after_log_id::bigint)
  and (events.tx, events.log_id) <= (:upto_tx::bigint, :upto_log_id::bigint)
order by events.tx, events.log_id;

-- name: allowRemovals
select set_config('stint_log.archiving', 'on', true);

-- name: removeEntries
-- What a job that is there is derived from stays.
delete from stint.events
where (tx, log_id) > (:after_tx::bigint, :after_log_id::bigint) and (tx, log_id) <= (:upto_tx::bigint, :upto_log_id::bigint)
  and log_id = any(:log_ids::bigint[])
  and not exists (select from stint.jobs where jobs.pk = events.job)
returning log_id, job, received_at;

-- name: forbidRemovals
select set_config('stint_log.archiving', 'off', true);

-- name: insertSegment
insert into stint.segments (file, checksum, count, first_id, last_id, first_at, last_at, archived_at)
values (:file, :checksum, :count, :first_id, :last_id, :first_at, :last_at, :archived_at);

-- name: segmentOfFile
select * from stint.segments where file = :file::text;

-- name: segmentPage
select * from stint.segments where :before::bigint is null or pk < :before::bigint order by pk desc limit :limit;
