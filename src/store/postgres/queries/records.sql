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

-- name: nextDueRecord
select min(due_at) as due_at from stint.records where kind = :kind::smallint and due_at > :now::bigint;

-- name: addFire
insert into stint.fires (schedule, at) values (:schedule, :at) on conflict do nothing returning at;

-- name: setFireJob
update stint.fires set job = :job where schedule = :schedule and at = :at;

-- name: firesAt
select at, job from stint.fires where schedule = :schedule and at = any(:instants::bigint[]) order by at;
