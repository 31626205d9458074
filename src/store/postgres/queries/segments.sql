-- name: endOfLog
-- Before the oldest transaction still open: all earlier ones are over. Some of a later one may be there already.
select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + :tx_offset::bigint || '.0' as cursor;

-- name: entriesToWalkOver
-- As readers see the log: nothing can appear behind. Never the newest entry: after a restore into another cluster, the place of
-- the next one follows from it. A batch is walked over as a whole, so a position is the last that a row can have.
select tx || '.' || log_id + case when jobs is null then 0 else 1023 end as position, received_at as "receivedAt", bytes
from (
  select tx, log_id, jobs, received_at, length(attributes) * coalesce(size, 1) + detail_bytes as bytes,
    sum(coalesce(size, 1)) over (order by tx, log_id) - coalesce(size, 1) as before
  from (
    select tx, log_id, jobs, received_at, attributes, size, coalesce(pg_column_size(details), 0) as detail_bytes from stint.events
    where (tx, log_id) > (:after_tx::bigint, :after_log_id::bigint)
      and tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + :tx_offset::bigint
      and (tx, log_id) < (select tx, log_id from stint.events order by tx desc, log_id desc limit 1)
    order by tx, log_id limit :limit::integer
  ) as rows
) as counted
where before < :limit::integer
order by tx, log_id;

-- name: entriesWithin
select entries.* from stint.entries
where (entries.tx, entries.log_row) > (:after_tx::bigint, :after_log_id::bigint)
  and (entries.tx, entries.log_row) <= (:upto_tx::bigint, :upto_log_id::bigint)
order by entries.tx, entries.log_id;

-- name: allowRemovals
select set_config('stint_log.archiving', 'on', true);

-- name: removeEntries
-- What a job that is there is derived from stays.
delete from stint.events
where (tx, log_id) > (:after_tx::bigint, :after_log_id::bigint) and (tx, log_id) <= (:upto_tx::bigint, :upto_log_id::bigint)
  and log_id = any(:log_ids::bigint[]) and jobs is null
  and not exists (select from stint.jobs where jobs.pk = events.job)
returning log_id, job, received_at;

-- name: removeBatchedEntries
-- The others of their batch keep their places in it. A batch of which nothing is left goes.
with leaving as materialized (
  select entries.log_row, entries.log_id, entries.job, entries.received_at from stint.entries
  where (entries.tx, entries.log_row) > (:after_tx::bigint, :after_log_id::bigint)
    and (entries.tx, entries.log_row) <= (:upto_tx::bigint, :upto_log_id::bigint)
    and entries.is_batched and entries.log_id = any(:log_ids::bigint[]) and not entries.is_of_job
),
thinned as materialized (
  select events.log_id, array_agg(case when leaving.log_id is null then each.job end order by each.nth) as jobs,
    count(each.job) filter (where leaving.log_id is null) as size
  from stint.events cross join lateral unnest(events.jobs) with ordinality as each(job, nth)
  left join leaving on leaving.log_id = events.log_id + each.nth - 1
  where events.jobs is not null and events.log_id = any(array(select log_row from leaving))
  group by events.log_id
),
kept as (
  update stint.events set jobs = thinned.jobs, size = thinned.size from thinned
  where events.jobs is not null and events.log_id = thinned.log_id and thinned.size > 0
),
gone as (
  delete from stint.events where jobs is not null and log_id = any(array(select log_id from thinned where size = 0))
)
select log_id, job, received_at from leaving;

-- name: forbidRemovals
select set_config('stint_log.archiving', 'off', true);

-- name: insertSegment
insert into stint.segments (file, checksum, count, first_id, last_id, first_at, last_at, archived_at)
values (:file, :checksum, :count, :first_id, :last_id, :first_at, :last_at, :archived_at);

-- name: segmentOfFile
select * from stint.segments where file = :file::text;

-- name: segmentPage
select * from stint.segments where :before::bigint is null or pk < :before::bigint order by pk desc limit :limit;
