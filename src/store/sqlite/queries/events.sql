-- name: insertEvent
insert into events (
  job, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, source, event_id,
  event_type, job_ref, task_ref, attributes
) values (
  :job, :version, :code, :occurred_at, :received_at, :namespace, :actor, :cause, :execution_id, :trace_id, :span_id, :source,
  :event_id, :event_type, :job_ref, :task_ref, :attributes
);

-- name: insertOwnEvent
insert into events (
  job, version, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
) values (
  :job, :version, :code, :occurred_at, :received_at, :namespace, :actor, :cause, :execution_id, :trace_id, :span_id,
  :attributes
);

-- name: insertLedEvent
-- One that a claim or a run leads to.
insert into events (
  job, version, led_to, code, occurred_at, received_at, namespace, actor, cause, execution_id, trace_id, span_id, attributes
) values (
  :job, :version, 1, :code, :occurred_at, :received_at, :namespace, :actor, :cause, :execution_id, :trace_id, :span_id,
  :attributes
);

-- name: insertEventKey
insert into event_keys (namespace, source, id) values (:namespace, :source, :id) on conflict do nothing;

-- name: jobKeyInNamespace
select pk from jobs where id = :id and namespace = :namespace;

-- name: eventsAfter
select events.*, coalesce(jobs.id, past_jobs.id) as job_id from events
left join jobs on jobs.pk = events.job
left join past_jobs on past_jobs.pk = events.job and jobs.pk is null
where events.log_id > :after order by events.log_id limit :limit;

-- name: logStretch
-- The next entries, whatever they are: how many, and the last of them.
select max(log_id) as last, count(*) as looked
from (select log_id from events where log_id > :after order by log_id limit :limit);

-- name: eventsOfJobsWithin
-- An event from outside concerns the job that it names, if it names one.
select events.*, coalesce(jobs.id, past_jobs.id) as job_id from events
left join jobs on jobs.pk = events.job
left join past_jobs on past_jobs.pk = events.job and jobs.pk is null
where events.log_id > :after and events.log_id <= :last
  and coalesce(events.job_ref, jobs.id, past_jobs.id) in (select value from json_each(:ids))
order by events.log_id;

-- name: eventsBefore
select events.*, coalesce(jobs.id, past_jobs.id) as job_id from events
left join jobs on jobs.pk = events.job
left join past_jobs on past_jobs.pk = events.job and jobs.pk is null
where events.log_id < :before order by events.log_id desc limit :limit;

-- name: logEnd
select log_id from events order by log_id desc limit 1;

-- name: eventsOfJobAfter
select events.*, :id as job_id from events
where events.log_id in (
  select log_id from events where job = :job and led_to is null
  union all select start_row from claims where job = :job
  union all select start_row from runs where job = :job
  union all select end_row from runs where job = :job
  union all select log_id from event_rows where job = :job
)
and events.log_id > :after order by events.log_id limit :limit;

-- name: eventsOfJobs
-- What the index holds, and what claims and runs lead to.
with wanted(job) as materialized (select value from json_each(:pks)),
rows(log_id) as (
  select events.log_id from wanted cross join events on events.job = wanted.job and events.led_to is null
  union all select claims.start_row from wanted cross join claims on claims.job = wanted.job
  union all select runs.start_row from wanted cross join runs on runs.job = wanted.job
  union all select runs.end_row from wanted cross join runs on runs.job = wanted.job
  union all select event_rows.log_id from wanted cross join event_rows on event_rows.job = wanted.job
)
select events.*, jobs.id as job_id
from rows cross join events on events.log_id = rows.log_id join jobs on jobs.pk = events.job
order by events.job, events.version, events.log_id;
