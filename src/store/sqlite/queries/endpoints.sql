-- name: writeEndpoint
insert into endpoints (namespace, name, job, token, url, registered_at)
values (:namespace, :name, :job, :token, :url, :registered_at)
on conflict (namespace, name) do update
set job = excluded.job, token = excluded.token, url = excluded.url, registered_at = excluded.registered_at;

-- name: liveEndpoint
-- The attempt is open while its token is that of the claim, or of a job that awaits something (phase 3).
select endpoints.namespace, endpoints.name, endpoints.job, endpoints.token, endpoints.url,
  endpoints.registered_at as registeredAt, jobs.name as jobName
from endpoints join jobs on jobs.pk = endpoints.job left join claims on claims.job = endpoints.job
where endpoints.namespace = :namespace and endpoints.name = :name
  and (claims.token = endpoints.token or jobs.phase = 3 and jobs.token = endpoints.token);

-- name: liveEndpoints
select endpoints.namespace, endpoints.name, endpoints.job, endpoints.token, endpoints.url,
  endpoints.registered_at as registeredAt, jobs.name as jobName
from endpoints join jobs on jobs.pk = endpoints.job left join claims on claims.job = endpoints.job
where endpoints.namespace = :namespace and endpoints.name > :after
  and (claims.token = endpoints.token or jobs.phase = 3 and jobs.token = endpoints.token)
order by endpoints.name limit :limit;

-- name: removeEndpoint
delete from endpoints where namespace = :namespace and name = :name and job = :job and token = :token;
