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

-- name: recordKeys
-- By id, or those of every kind that have a path.
select pk from records where kind in (select value from json_each(:kinds)) and id = :ref
union all
select pk from records where kind in (select value from json_each(:kinds)) and path = :ref and released = 0;

-- name: eventsOfRecordAfter
-- In the order of versions, which is that of the log, and which an index has: so a page costs what it holds. It begins at the
-- version of the entry where the last page ended, if that is one of this record and still in the log.
select events.*, null as job_id from events
where events.job = :record and events.led_to is null and events.log_id > :after
  and events.version > coalesce((select last.version from events as last where last.log_id = :after and last.job = :record), 0)
order by events.version limit :limit;

-- name: nextDueRecord
select min(due_at) as due_at from records where kind = :kind and due_at > :now;

-- name: addFire
insert into fires (schedule, at) values (:schedule, :at) on conflict do nothing;

-- name: setFireJob
update fires set job = :job where schedule = :schedule and at = :at;

-- name: firesAt
select at, job from fires where schedule = :schedule and at in (select value from json_each(:instants)) order by at;
