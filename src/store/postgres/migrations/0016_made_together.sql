-- Jobs that are submitted together are one row of the log, too: their first entries differ in their attributes alone, which stand in
-- `details`. A job knows the row; null where its first entry has a row of its own.
alter table stint.jobs add column made_row bigint;

create or replace function stint.batches_of(pks bigint[]) returns bigint[] language sql stable as $$
  select array(
    select start_row from stint.claims where job = any(pks) and start_row is not null
    union select unnest(array[made_row, start_row]) from stint.jobs where pk = any(pks)
    union select unnest(array[start_row, end_row]) from stint.runs where job = any(pks)
    union select unnest(log_rows) from stint.past_jobs where pk = any(pks)
  )
$$;

-- As before, but for the attributes of what was made together (code 1).
create or replace view stint.entries as
select events.tx, events.log_id + coalesce(each.nth - 1, 0) as log_id, events.log_id as log_row, events.job as own_job,
  events.jobs is not null as is_batched, coalesce(events.job, each.job) as job, events.version, events.code, events.occurred_at,
  events.received_at,
  case when events.jobs is null then events.namespace else coalesce(jobs.namespace, past_jobs.namespace) end as namespace,
  events.actor, events.cause,
  case when events.jobs is null or events.code <> 6 then events.execution_id
    else events.execution_id || case when events.execution_id like '%-task-' then substring(coalesce(jobs.name, past_jobs.name), '[^/]*$')
      else coalesce(jobs.id, past_jobs.id)::text end || '-run-1' end as execution_id,
  events.trace_id, events.span_id, events.source, events.event_id, events.event_type, events.job_ref, events.task_ref,
  case when each.detail is null then events.attributes
    when events.code = 1 then each.detail
    when events.code = 4 then left(events.attributes, -5) || each.detail || '}'
    else '{"attempt":1,"resultDigest":"' || each.detail || '"}' end as attributes,
  coalesce(jobs.id, past_jobs.id) as job_id, coalesce(jobs.name, past_jobs.name) as job_name, jobs.pk is not null as is_of_job
from stint.events
left join lateral unnest(events.jobs, events.details) with ordinality as each(job, detail, nth) on true
left join stint.jobs on jobs.pk = coalesce(events.job, each.job)
left join stint.past_jobs on past_jobs.pk = coalesce(events.job, each.job) and jobs.pk is null
where events.jobs is null or each.job is not null;
