-- name: recordEvents
-- Keys first, in their order, so that two senders of the same events cannot wait for each other in a circle. An event
-- belongs only to a job that this transaction holds: one that came into being meanwhile is not told of it either.
with wanted as materialized (
  select * from unnest(
    :nth::integer[], :namespace::text[], :source::text[], :id::text[], :event_type::text[], :occurred_at::bigint[],
    :job_uuid::uuid[], :job_ref::text[], :task_ref::text[], :execution_id::text[], :trace_id::text[], :span_id::text[],
    :attributes::text[]
  ) as w(
    nth, namespace, source, id, event_type, occurred_at, job_uuid, job_ref, task_ref, execution_id, trace_id, span_id,
    attributes
  )
),
fresh as (
  insert into stint.event_keys (namespace, source, id)
  select namespace, source, id from wanted order by namespace, source, id
  on conflict do nothing
  returning namespace, source, id
),
recorded as materialized (
  select wanted.*, jobs.pk as job from wanted
  join fresh on fresh.namespace = wanted.namespace and fresh.source = wanted.source and fresh.id = wanted.id
  left join stint.jobs on jobs.pk = any(:locked::bigint[]) and jobs.id = wanted.job_uuid
    and jobs.namespace = wanted.namespace
),
logged as (
  insert into stint.events (
    tx, received_at, job, namespace, source, event_id, event_type, occurred_at, job_ref, task_ref, execution_id, trace_id,
    span_id, attributes
  )
  select (select stint.log_position(:tx_offset::bigint)), :now::bigint, job, namespace, source, id, event_type, occurred_at,
    job_ref, task_ref, execution_id, trace_id, span_id, attributes
  from recorded order by nth
)
select nth, job from recorded order by nth;

-- name: eventsAfter
-- Below the oldest transaction still open everything is decided: no event can appear behind the reader any more. A row may be
-- a batch of up to 1024 entries, so first as many rows are chosen as it takes; the one that the cursor stands in counts for nothing.
-- Of the entries only those that concern some jobs, if these are given, and the last whatever it is: from there it goes on. An event
-- from outside concerns the job that it names, if it names one.
with rows as materialized (
  select tx, log_id, case when (tx, log_id) > (:after_tx::bigint, :after_log_id::bigint) then coalesce(size, 1) else 0 end as size
  from stint.events
  where (tx, log_id) > (:after_tx::bigint, :after_log_id::bigint - 1024)
    and ((tx, log_id) > (:after_tx::bigint, :after_log_id::bigint) or jobs is not null)
    and tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + :tx_offset::bigint
  order by tx, log_id limit :limit::integer + 1
),
last as materialized (
  select tx, log_id from (select tx, log_id, sum(size) over (order by tx, log_id) - size as before from rows) as counted
  where before < :limit::integer order by tx desc, log_id desc limit 1
)
select * from (
  select next.*, count(*) over () as looked, row_number() over (order by next.tx, next.log_id) as nth from (
    select entries.* from stint.entries
    where (entries.tx, entries.log_row) > (:after_tx::bigint, :after_log_id::bigint - 1024)
      and (entries.tx, entries.log_row) <= ((select tx from last), (select log_id from last))
      and (entries.tx, entries.log_id) > (:after_tx::bigint, :after_log_id::bigint)
    order by entries.tx, entries.log_id limit :limit::integer
  ) as next
) as entry
where :ids::text[] is null or nth = looked or coalesce(job_ref, job_id::text) in (select unnest(:ids::text[]))
order by nth;

-- name: eventsBefore
-- The same entries from their end: what no reader that follows the log has seen yet is not shown here either.
with rows as materialized (
  select tx, log_id,
    case when jobs is not null and tx = :before_tx::bigint and log_id > :before_log_id::bigint - 1024 then 0
      else coalesce(size, 1) end as size
  from stint.events
  where (tx, log_id) < (:before_tx::bigint, :before_log_id::bigint)
    and tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + :tx_offset::bigint
  order by tx desc, log_id desc limit :limit::integer + 1
),
last as materialized (
  select tx, log_id from (
    select tx, log_id, sum(size) over (order by tx desc, log_id desc) - size as before from rows
  ) as counted
  where before < :limit::integer order by tx, log_id limit 1
)
select entries.* from stint.entries
where (entries.tx, entries.log_row) < (:before_tx::bigint, :before_log_id::bigint)
  and (entries.tx, entries.log_row) >= ((select tx from last), (select log_id from last))
  and (entries.tx, entries.log_id) < (:before_tx::bigint, :before_log_id::bigint)
  and entries.tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint + :tx_offset::bigint
order by entries.tx desc, entries.log_id desc limit :limit::integer;

-- name: logEnd
-- What began before the oldest transaction still open has ended: all of it is shown, and nothing can be added to it.
select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + :tx_offset::bigint as tx;

-- name: heldBack
-- The first entry that is committed and not shown yet, and the oldest transaction still open, which is why.
select events.received_at as since, (
  select 'pid ' || pid || coalesce(', ' || nullif(application_name, ''), '') from pg_stat_activity
  where backend_xid is not null and datname = current_database() order by age(backend_xid) desc limit 1
) as by
from stint.events
where events.tx >= pg_snapshot_xmin(pg_current_snapshot())::text::bigint + :tx_offset::bigint
order by events.tx, events.log_id limit 1;

-- name: eventsOfJobAfter
-- The history of one job is shown as it is committed: who looks at a job must not wait for strangers' transactions. Its own
-- events cannot overtake each other; an event from outside can still appear behind a reader who follows one job.
select * from (
  select entries.* from stint.entries where entries.own_job = :job::bigint
  union all
  select entries.* from stint.entries
  where entries.is_batched and entries.log_row = any(stint.batches_of(array[:job::bigint])) and entries.job = :job::bigint
) as entries
where (entries.tx, entries.log_id) > (:after_tx::bigint, :after_log_id::bigint)
order by entries.tx, entries.log_id limit :limit;

-- name: eventsOfJobs
-- returns: tx bigint, log_id bigint, log_row bigint, own_job bigint, is_batched boolean, job bigint, version integer, code smallint,
-- returns: occurred_at bigint, received_at bigint, namespace text, actor text, cause text, execution_id text, trace_id text,
-- returns: span_id text, source text, event_id text, event_type text, job_ref text, task_ref text, attributes text, job_id uuid,
-- returns: job_name text, is_of_job boolean
select * from (
  select entries.* from stint.entries where entries.own_job = any(:pks::bigint[])
  union all
  select entries.* from stint.entries
  where entries.is_batched and entries.log_row = any(stint.batches_of(:pks::bigint[]))
    -- Not as a condition that could become a join, nor as a list: a page of them has thousands of entries.
    and (entries.job in (select unnest(:pks::bigint[]))) is true
) as entries
order by entries.job, entries.version, entries.tx, entries.log_id;

-- name: txPosition
-- What the log has, what this cluster gives out next, and what was added to it so far.
select coalesce((select tx from stint.events order by tx desc, log_id desc limit 1), 0) as newest,
  pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next, tx_offset from stint.settings;

-- name: raiseTxOffset
update stint.settings set tx_offset = greatest(tx_offset, :offset::bigint) returning tx_offset;
