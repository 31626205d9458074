-- name: reserveKeys
update counters set last_pk = last_pk + :count where id = 1 returning last_pk;

-- name: addType
insert into types (name) values (:name) on conflict do nothing;

-- name: typeIdByName
select id from types where name = :name;

-- name: allTypes
select id, name from types;

-- name: jobsById
select jobs.*, types.name as type_name,
  claims.revision as claim_revision, claims.started_at as claim_started_at, claims.deadline_at as claim_deadline_at,
  claims.token as claim_token, claims.worker_id as claim_worker_id,
  ended.token as end_token, ended.worker_id as end_worker_id, ended.started_at as end_started_at,
  ended.finished_at as end_finished_at, ended.result_digest as end_result_digest, ended.result as end_result
from json_each(:ids) as wanted
join jobs on jobs.id = wanted.value
join types on types.id = jobs.type
left join claims on claims.job = jobs.pk
left join runs as ended on ended.job = jobs.pk and ended.ends = 1;

-- name: jobsByKey
select jobs.*, types.name as type_name,
  claims.revision as claim_revision, claims.started_at as claim_started_at, claims.deadline_at as claim_deadline_at,
  claims.token as claim_token, claims.worker_id as claim_worker_id,
  ended.token as end_token, ended.worker_id as end_worker_id, ended.started_at as end_started_at,
  ended.finished_at as end_finished_at, ended.result_digest as end_result_digest, ended.result as end_result
from json_each(:pks) as wanted
join jobs on jobs.pk = wanted.value
join types on types.id = jobs.type
left join claims on claims.job = jobs.pk
left join runs as ended on ended.job = jobs.pk and ended.ends = 1;

-- name: jobKeyOfName
-- The live job of a name, else the newest that had it.
select coalesce((select job from names where name = :name), max(pk)) as pk from jobs where name = :name;

-- name: jobKeysHoldingNames
select names.job as pk from json_each(:names) as wanted join names on names.name = wanted.value;

-- name: jobKeyHoldingKey
select job as pk from keys where namespace = :namespace and type = :type and key = :key;

-- name: insertName
insert into names (name, job) values (:name, :job);

-- name: insertKey
insert into keys (namespace, type, key, job) values (:namespace, :type, :key, :job);

-- name: insertPlainNames
insert into names (name, job) select name, pk from jobs where pk between :first and :last;

-- name: insertPlainReady
insert into ready (lane, priority, position, job, revision, limited, namespace)
select 2 * type, priority, position, pk, 1, 0, namespace from jobs where pk between :first and :last;

-- name: removeNames
-- Of jobs that are among these, too: their names may be those of others by now.
delete from names where name in (select value from json_each(:names)) and job in (select value from json_each(:pks));

-- name: removeName
delete from names where name = :name and job = :job;

-- name: removeKey
delete from keys where namespace = :namespace and type = :type and key = :key and job = :job;

-- name: jobKeysWithIds
select jobs.pk from json_each(:ids) as wanted join jobs on jobs.id = wanted.value;

-- name: auditedKeysAfter
-- Jobs and groups (kind 3), whose keys are of the same numbers.
select pk from jobs where pk > :after
union all
select pk from records where kind = 3 and pk > :after
order by pk limit :limit;

-- name: insertJob
insert into jobs (
  pk, id, revision, released, name, namespace, type, key, version, state, phase, priority, position, attempt, charged,
  cancelled, outcome, scheduled_for, expires_at, deadline_at, attempt_deadline_at, created_at, queued_at, started_at,
  finished_at, updated_at, token, worker_id, template_id, schedule_id, group_id, retry_of, submitted_by, labels, options,
  detail, error, params_digest, result_digest, params, result, parent, parent_attempt, trace_parent
) values (
  :pk, :id, :revision, :released, :name, :namespace, :type, :key, :version, :state, :phase, :priority, :position, :attempt,
  :charged, :cancelled, :outcome, :scheduled_for, :expires_at, :deadline_at, :attempt_deadline_at, :created_at, :queued_at,
  :started_at, :finished_at, :updated_at, :token, :worker_id, :template_id, :schedule_id, :group_id, :retry_of,
  :submitted_by, :labels, :options, :detail, :error, :params_digest, :result_digest, :params, :result, :parent,
  :parent_attempt, :trace_parent
);

-- name: insertPlainJob
-- State 0 is initial, phase 1 is queued.
insert into jobs (
  pk, id, revision, released, name, namespace, type, version, state, phase, priority, position, attempt, charged,
  cancelled, scheduled_for, created_at, queued_at, updated_at, labels, options, params_digest, params, trace_parent
) values (
  :pk, :id, 1, 0, :name, :namespace, :type, 1, 0, 1, :priority, 100 * :pk, 0, 0, 0, :now, :now, :now, :now, :labels,
  :options, :params_digest, :params, :trace_parent
);

-- name: updateJob
update jobs set
  revision = :revision, released = :released, version = :version, state = :state, phase = :phase, priority = :priority,
  position = :position, attempt = :attempt, charged = :charged, cancelled = :cancelled, outcome = :outcome,
  scheduled_for = :scheduled_for, attempt_deadline_at = :attempt_deadline_at, queued_at = :queued_at,
  started_at = :started_at, finished_at = :finished_at, updated_at = :updated_at, token = :token, worker_id = :worker_id,
  detail = :detail, error = :error, params_digest = :params_digest, result_digest = :result_digest, params = :params,
  result = :result
where pk = :pk;

-- name: removeKeyOf
delete from keys where job = :pk and namespace = :namespace and key = :key
  and type = (select type from jobs where pk = :pk);

-- name: havingChildren
-- Earlier attempts too: those that snoozed left their jobs alive.
select distinct jobs.parent as pk from json_each(:attempts) as wanted
join jobs on jobs.parent = wanted.value ->> 0 and jobs.parent_attempt <= wanted.value ->> 1
where jobs.phase <> 4 and not exists (select 1 from runs where runs.job = jobs.pk and runs.ends = 1)
union
select records.parent from json_each(:attempts) as wanted
join records on records.parent = wanted.value ->> 0 and records.parent_attempt <= wanted.value ->> 1
where records.released = 0;

-- name: childrenOf
select pk from jobs where parent = :pk and parent_attempt <= :attempt and phase <> 4 and pk > :after
  and not exists (select 1 from runs where runs.job = jobs.pk and runs.ends = 1)
union all
select pk from records where parent = :pk and parent_attempt <= :attempt and released = 0 and pk > :after
order by pk limit :limit;

-- name: liveBelowDown
-- What is below a name begins with it and a slash; the sign after the slash in the order of bytes is 0.
select job as pk from names where name > :from and name < :name || '0' order by name limit :limit;

-- name: liveBelowUp
select job as pk from names where name < :from and name > :name || '/' order by name desc limit :limit;

-- name: insertRun
insert into runs (
  job, attempt, status, reason, error, worker_id, started_at, finished_at, exit_code, artifacts, log_path
) values (
  :job, :attempt, :status, :reason, :error, :worker_id, :started_at, :finished_at, :exit_code, :artifacts, :log_path
);

-- name: insertEnd
insert into runs (
  job, attempt, status, worker_id, started_at, finished_at, exit_code, artifacts, log_path, ends, token, result_digest, result,
  start_row, end_row
) values (
  :job, :attempt, 0, :worker_id, :started_at, :finished_at, :exit_code, :artifacts, :log_path, 1, :token, :result_digest,
  :result, :start_row, :end_row
);

-- name: runsOfJobs
-- Without the result of the job, which may be large and is read with the job.
select runs.job, runs.attempt, runs.status, runs.reason, runs.error, runs.worker_id, runs.started_at, runs.finished_at,
  runs.exit_code, runs.artifacts, runs.log_path
from json_each(:pks) as wanted join runs on runs.job = wanted.value order by runs.job, runs.attempt;
