-- name: insertWorker
insert into stint.workers (id, name, started_at, seen_at, lease_until, types, paths)
select :id::text, :name::text, moment.now, moment.now, moment.now + :lease_ms::bigint, :types::text, :paths::text
from (select coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as now) as moment
-- A worker that heard no answer tries again: then it is there already, and its lease begins anew.
on conflict (id) do update set seen_at = excluded.seen_at, lease_until = excluded.lease_until
where workers.lost_at is null and workers.name = excluded.name returning id;

-- name: renewWorker
update stint.workers set lease_until = moment.now + :lease_ms::bigint, seen_at = moment.now
from (select coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) as now) as moment
where id = :id::text and lost_at is null returning id;

-- name: removeWorker
-- Only one that holds nothing: of any other it must be known that it is lost, and with how many jobs.
delete from stint.workers where id = :id::text and lost_at is null
  and not exists (select from stint.claims where claims.worker_id = workers.id);

-- name: lockLost
-- A worker that renewed its lease a moment ago is not lost; one that renews it now, or claims, waits for this and sees it.
select id from stint.workers where lost_at is null and lease_until < :now::bigint order by id for update;

-- name: buryLost
-- A statement after the lock: only so does the count see every claim of a worker that was still claiming.
update stint.workers set lost_at = :now::bigint,
  lost_with = (select count(*) from stint.claims where claims.worker_id = workers.id)
where id = any(:ids::text[]);

-- name: forgetLost
-- A lost worker is shown for a day; while any claim names it, it must be known to be lost.
delete from stint.workers
where lost_at < :before::bigint
  and not exists (select from stint.claims where claims.worker_id = workers.id);

-- name: allWorkers
select id, name, started_at, seen_at, lease_until, lost_at, types, paths from stint.workers order by started_at desc, id;

-- name: heldBy
select jobs.id, claims.token, claims.cancel_asked from stint.claims join stint.jobs on jobs.pk = claims.job
where claims.worker_id = :worker_id::text;

-- name: orphans
-- Only running jobs have a claim, so this looks at no more than runs at this moment.
select claims.job, jobs.id, claims.token, workers.lost_with
from stint.claims join stint.jobs on jobs.pk = claims.job left join stint.workers on workers.id = claims.worker_id
where claims.job > :after and (workers.id is null or workers.lost_at is not null)
order by claims.job limit :limit;

-- name: report
-- Saves what attempts tell, for those that still hold their jobs. The claim is locked, so that an attempt which ends at
-- this moment has either told it before or is refused. Like all who write, it reaches a claim after its job, and jobs in
-- the order of their keys: so nobody waits in a circle.
with told as materialized (
  select * from unnest(
    :id::uuid[], :token::text[], :done::double precision[], :total::double precision[], :checkpoint::text[]
  ) with ordinality as t(id, token, done, total, checkpoint, nth)
),
held as materialized (
  select claims.job, told.*, jobs.attempt + case when jobs.phase = 1 and jobs.state <> 1 then 1 else 0 end as attempt
  from told join stint.jobs on jobs.id = told.id
  join stint.claims on claims.job = jobs.pk and claims.token = told.token
  order by jobs.pk for share of jobs, claims
),
-- Of several reports of one attempt the last one counts.
newest as (
  select distinct on (job) job, done, total from held where done is not null order by job, nth desc
),
progressed as (
  insert into stint.progress (job, done, total, updated_at)
  select job, done, total, coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from newest
  on conflict (job) do update set done = excluded.done, total = excluded.total, updated_at = excluded.updated_at
),
saved as (
  select distinct on (job) job, attempt, checkpoint from held where checkpoint is not null order by job, nth desc
),
checkpointed as (
  insert into stint.checkpoints (job, attempt, value, updated_at)
  select job, attempt, checkpoint, coalesce(:now::bigint, floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from saved
  on conflict (job) do update
  set attempt = excluded.attempt, value = excluded.value, updated_at = excluded.updated_at
),
logged as (
  insert into stint.run_logs (job, attempt, seq, at, line)
  select held.job, held.attempt, line.seq, line.at, line.line
  from unnest(:line_nth::bigint[], :line_seq::integer[], :line_at::bigint[], :line_line::text[])
    with ordinality as line(nth, seq, at, line, place)
  join held on held.nth = line.nth
  -- Of two lines with one number the first stays, and all who insert meet the same numbers in the same order.
  order by held.job, line.seq, line.place
  on conflict do nothing
)
select nth from held;

-- name: progressOf
select progress.done, progress.total from stint.progress join stint.jobs on jobs.pk = progress.job
where jobs.id = :id::uuid;

-- name: checkpointOf
select checkpoints.value from stint.checkpoints join stint.jobs on jobs.pk = checkpoints.job where jobs.id = :id::uuid;

-- name: logLines
select seq, at, line from stint.run_logs
where job = :job::bigint and attempt = :attempt::integer and seq > :after::integer order by seq limit :limit;

-- name: holdWorker
-- Whoever buries the worker waits for this claim and counts it, or is waited for and seen. A renewal does neither.
select lost_at from stint.workers where id = :id::text for key share;
