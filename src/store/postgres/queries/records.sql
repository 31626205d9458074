-- name: recordsRead
select * from stint.records
where kind = :kind::smallint and (id = any(:ids::uuid[]) or released = 0 and path = any(:paths::text[])) order by pk;

-- name: recordsKept
-- In the order of pk, as all locks are taken.
select * from stint.records
where kind = :kind::smallint and (id = any(:ids::uuid[]) or released = 0 and path = any(:paths::text[])) order by pk
for share;

-- name: recordsHeld
select * from stint.records
where kind = :kind::smallint and (id = any(:ids::uuid[]) or released = 0 and path = any(:paths::text[])) order by pk
for no key update;

-- name: recordsReadByKey
select * from stint.records where kind = :kind::smallint and pk = any(:pks::bigint[]) order by pk;

-- name: recordsKeptByKey
select * from stint.records where kind = :kind::smallint and pk = any(:pks::bigint[]) order by pk for share;

-- name: recordsHeldByKey
select * from stint.records where kind = :kind::smallint and pk = any(:pks::bigint[]) order by pk for no key update;

-- name: insertRecord
insert into stint.records (
  pk, kind, id, path, namespace, released, version, due_at, created_at, updated_at, parent, parent_attempt, body
) values (
  :pk, :kind, :id, :path, :namespace, :released, :version, :due_at, :created_at, :updated_at, :parent, :parent_attempt, :body
)
on conflict do nothing returning pk;

-- name: saveRecords
update stint.records set
  released = given.released, version = given.version, due_at = given.due_at, updated_at = given.updated_at, body = given.body
from unnest(
  :pk::bigint[], :released::bigint[], :version::integer[], :due_at::bigint[], :updated_at::bigint[], :body::text[]
) as given(pk, released, version, due_at, updated_at, body)
where records.pk = given.pk;

-- name: dueRecord
select * from stint.records where kind = :kind::smallint and due_at <= :now::bigint
order by due_at, pk limit 1 offset :skip for no key update skip locked;

-- name: recordPage
select * from stint.records
where kind = :kind::smallint
  and (:path::text is null or path = :path::text or (path >= :path::text || '/' and path < :path::text || '0'))
  and (:with_released::boolean or released = 0) and (:before::bigint is null or pk < :before::bigint)
order by pk desc limit :limit;

-- name: insertRecordEvents
insert into stint.events (
  tx, job, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, event_id,
  attributes
)
select (select stint.log_position(:tx_offset::bigint)), job, version, code, occurred_at, occurred_at, namespace, actor, cause,
  execution_id, trace_id, span_id, event_id, attributes
from unnest(
  :job::bigint[], :version::integer[], :code::smallint[], :occurred_at::bigint[], :namespace::text[], :actor::text[],
  :cause::text[], :execution_id::text[], :trace_id::text[], :span_id::text[], :event_id::text[], :attributes::text[]
) as given(
  job, version, code, occurred_at, namespace, actor, cause, execution_id, trace_id, span_id, event_id, attributes
);

-- name: recordKeys
-- By id, or those of every kind that have a path.
select pk from stint.records
where kind = any(:kinds::smallint[]) and (id = any(:ids::uuid[]) or released = 0 and path = any(:paths::text[]));

-- name: eventsOfRecordAfter
-- As those of one job, it is shown as it is committed. In the order of versions, which is that of the log, and which an index has:
-- so a page costs what it holds. It begins at the version of the entry where the last page ended, if that is one of this
-- record and still in the log. The sum is no column of an index: without it all that came later would be read, of all jobs.
select events.*, null::uuid as job_id from stint.events
where events.job = :record::bigint and (events.tx + 0, events.log_id) > (:after_tx::bigint, :after_log_id::bigint)
  and events.version > coalesce((
    select last.version from stint.events as last
    where last.tx = :after_tx::bigint and last.log_id = :after_log_id::bigint and last.job = :record::bigint
  ), 0)
order by events.version limit :limit;

-- name: nextDueRecord
select min(due_at) as due_at from stint.records where kind = :kind::smallint and due_at > :now::bigint;

-- name: addFire
insert into stint.fires (schedule, at) values (:schedule, :at) on conflict do nothing returning at;

-- name: setFireJob
update stint.fires set job = :job where schedule = :schedule and at = :at;

-- name: firesAt
select at, job from stint.fires where schedule = :schedule and at = any(:instants::bigint[]) order by at;
