-- name: recordsById
select * from records where kind = :kind and id in (select value from json_each(:ids));

-- name: recordsByPath
select * from records where kind = :kind and path in (select value from json_each(:paths)) and released = 0;

-- name: recordsByKey
select * from records where kind = :kind and pk in (select value from json_each(:pks)) order by pk;

-- name: insertRecord
insert into records (
  pk, kind, id, path, namespace, released, version, due_at, created_at, updated_at, parent, parent_attempt, body
) values (
  :pk, :kind, :id, :path, :namespace, :released, :version, :due_at, :created_at, :updated_at, :parent, :parent_attempt, :body
)
on conflict do nothing;

-- name: saveRecord
update records set released = :released, version = :version, due_at = :due_at, updated_at = :updated_at, body = :body
where pk = :pk;

-- name: dueRecord
select * from records where kind = :kind and due_at <= :now order by due_at, pk limit 1 offset :skip;

-- name: recordPage
select * from records
where kind = :kind and (:path is null or path = :path or (path >= :path || '/' and path < :path || '0'))
  and (:with_released or released = 0) and (:before is null or pk < :before)
order by pk desc limit :limit;

-- name: hasDefaults
select 1 from records where kind = 4 and released = 0 limit 1;

-- name: insertRecordEvent
insert into events (
  job, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, event_id, attributes
) values (
  :job, :version, :code, :occurred_at, :occurred_at, :namespace, :actor, :cause, :execution_id, :trace_id, :span_id,
  :event_id, :attributes
);

-- name: nextDueRecord
select min(due_at) as due_at from records where kind = :kind and due_at > :now;

-- name: addFire
insert into fires (schedule, at) values (:schedule, :at) on conflict do nothing;

-- name: setFireJob
update fires set job = :job where schedule = :schedule and at = :at;

-- name: firesAt
select at, job from fires where schedule = :schedule and at in (select value from json_each(:instants)) order by at;
