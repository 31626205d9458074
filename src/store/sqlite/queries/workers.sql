-- name: insertWorker
insert into workers (id, name, started_at, seen_at, lease_until, types, paths)
values (:id, :name, :now, :now, :now + :lease_ms, :types, :paths)
-- A worker that heard no answer tries again: then it is there already, and its lease begins anew.
on conflict (id) do update set seen_at = excluded.seen_at, lease_until = excluded.lease_until
where lost_at is null and name = excluded.name;

-- name: renewWorker
update workers set lease_until = :now + :lease_ms, seen_at = :now where id = :id and lost_at is null;

-- name: removeWorker
-- Only one that holds nothing: of any other it must be known that it is lost, and with how many jobs.
delete from workers where id = :id and lost_at is null
  and not exists (select 1 from claims where claims.worker_id = workers.id);

-- name: buryLost
-- Guarded: a worker that renewed its lease a moment ago is not lost.
update workers set lost_at = :now, lost_with = (select count(*) from claims where claims.worker_id = workers.id)
where lost_at is null and lease_until < :now returning id;

-- name: forgetLost
-- A lost worker is shown for a day; while any claim names it, it must be known to be lost.
delete from workers where lost_at < :before and not exists (select 1 from claims where claims.worker_id = workers.id);

-- name: allWorkers
select id, name, started_at, seen_at, lease_until, lost_at, types, paths from workers order by started_at desc, id;

-- name: heldBy
select jobs.id, claims.token, claims.cancel_asked from claims join jobs on jobs.pk = claims.job
where claims.worker_id = :worker_id;

-- name: orphans
-- Only running jobs have a claim, so this looks at no more than runs at this moment.
select claims.job, jobs.id, claims.token, workers.lost_with
from claims join jobs on jobs.pk = claims.job left join workers on workers.id = claims.worker_id
where claims.job > :after and (workers.id is null or workers.lost_at is not null)
order by claims.job limit :limit;

-- name: holdsAttempt
select claims.job, jobs.attempt, jobs.phase, jobs.state from claims join jobs on jobs.pk = claims.job
where jobs.id = :id and claims.token = :token;

-- name: saveProgress
insert into progress (job, done, total, updated_at) values (:job, :done, :total, :now)
on conflict (job) do update set done = excluded.done, total = excluded.total, updated_at = excluded.updated_at;

-- name: saveCheckpoint
insert into checkpoints (job, attempt, value, updated_at) values (:job, :attempt, :value, :now)
on conflict (job) do update set attempt = excluded.attempt, value = excluded.value, updated_at = excluded.updated_at;

-- name: insertLogLine
insert into run_logs (job, attempt, seq, at, line) values (:job, :attempt, :seq, :at, :line) on conflict do nothing;

-- name: progressOf
select progress.done, progress.total from progress join jobs on jobs.pk = progress.job where jobs.id = :id;

-- name: checkpointOf
select checkpoints.value from checkpoints join jobs on jobs.pk = checkpoints.job where jobs.id = :id;

-- name: logLines
select seq, at, line from run_logs
where job = :job and attempt = :attempt and seq > :after order by seq limit :limit;
