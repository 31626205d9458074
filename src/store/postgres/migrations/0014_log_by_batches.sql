-- Nearly all entries of the log tell that an attempt has started, or that it has completed, of jobs that a worker took and ended
-- together: but for the job they say the same. Such a batch is one row, which stands for an entry of each of its jobs. It costs
-- no index entry for each job: the job is found by it, and it by the job, through the row numbers that claims and runs keep.

-- The jobs of a batch, in order; null for a row that is one entry. Entries that were archived leave a null in their place.
alter table stint.events add column jobs bigint[];
-- What is not the same for all of a batch: of starts the deadlines, of completions the digests of the results. Null where none
-- has any.
alter table stint.events add column details text[];
-- How many entries a batch stands for; null for a row that is one entry.
alter table stint.events add column size integer;
alter table stint.events alter column jobs set storage external;
alter table stint.events alter column details set storage external;
create index events_batches on stint.events (log_id) where jobs is not null;

-- The entries of a batch have their ids from its own on, so every row has as many to itself as a batch can hold.
alter sequence stint.log_ids increment by 1024;

-- The batch in which the first attempt of a job started stands with its claim, then with its run, or with the job itself where the
-- end was not written the short way.
alter table stint.claims add column start_row bigint;
alter table stint.jobs add column start_row bigint;
alter table stint.runs add column start_row bigint;
alter table stint.runs add column end_row bigint;
alter table stint.past_jobs add column log_rows bigint[];

-- The batches in which something stands about these jobs.
create function stint.batches_of(pks bigint[]) returns bigint[] language sql stable as $$
  select array(
    select start_row from stint.claims where job = any(pks) and start_row is not null
    union select start_row from stint.jobs where pk = any(pks) and start_row is not null
    union select unnest(array[start_row, end_row]) from stint.runs where job = any(pks)
    union select unnest(log_rows) from stint.past_jobs where pk = any(pks)
  )
$$;

-- The log as readers see it: entry by entry. What starts (code 4) ends with the deadline of the attempt, which is `null}` where all
-- are the same; what completes (code 6) was executed by the run of the job, and of the id of that the batch has the beginning: the rest is the
-- UUID of the job, or the number of a task, which its name ends with.
create view stint.entries as
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
    when events.code = 4 then left(events.attributes, -5) || each.detail || '}'
    else '{"attempt":1,"resultDigest":"' || each.detail || '"}' end as attributes,
  coalesce(jobs.id, past_jobs.id) as job_id, coalesce(jobs.name, past_jobs.name) as job_name, jobs.pk is not null as is_of_job
from stint.events
left join lateral unnest(events.jobs, events.details) with ordinality as each(job, detail, nth) on true
left join stint.jobs on jobs.pk = coalesce(events.job, each.job)
left join stint.past_jobs on past_jobs.pk = coalesce(events.job, each.job) and jobs.pk is null
where events.jobs is null or each.job is not null;

-- Entries of a batch leave it one by one, which changes its row: only the transaction that archives them may do that.
create or replace function stint.refuse_change() returns trigger language plpgsql as $$
begin
  if tg_table_name <> 'runs' and current_setting('stint_log.archiving', true) = 'on' then
    if tg_op = 'DELETE' then return old; end if;
    if tg_op = 'UPDATE' then return new; end if;
  end if;
  raise exception 'stint: % is append-only: % refused', tg_table_name, lower(tg_op);
end
$$;
