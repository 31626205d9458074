-- name: holdEndpoint
-- Whoever else wants the name waits here. Whether another has it is asked after, in a statement of its own: this one cannot
-- see a claim that was made while it waited.
insert into stint.endpoints (namespace, name, job, token, url, registered_at)
values (:namespace::text, :name::text, :job::bigint, :token::text, :url::text, :registered_at::bigint)
on conflict (namespace, name) do update set name = excluded.name;

-- name: writeEndpoint
update stint.endpoints
set job = :job::bigint, token = :token::text, url = :url::text, registered_at = :registered_at::bigint
where namespace = :namespace::text and name = :name::text;

-- name: liveEndpoint
-- The attempt is open while its token is that of the claim, or of a job that awaits something (phase 3).
select endpoints.namespace, endpoints.name, endpoints.job, endpoints.token, endpoints.url,
  endpoints.registered_at as "registeredAt", jobs.name as "jobName"
from stint.endpoints join stint.jobs on jobs.pk = endpoints.job left join stint.claims on claims.job = endpoints.job
where endpoints.namespace = :namespace::text and endpoints.name = :name::text
  and (claims.token = endpoints.token or jobs.phase = 3 and jobs.token = endpoints.token);

-- name: liveEndpoints
select endpoints.namespace, endpoints.name, endpoints.job, endpoints.token, endpoints.url,
  endpoints.registered_at as "registeredAt", jobs.name as "jobName"
from stint.endpoints join stint.jobs on jobs.pk = endpoints.job left join stint.claims on claims.job = endpoints.job
where endpoints.namespace = :namespace::text and endpoints.name > :after::text
  and (claims.token = endpoints.token or jobs.phase = 3 and jobs.token = endpoints.token)
order by endpoints.name limit :limit::integer;

-- name: removeEndpoint
delete from stint.endpoints
where namespace = :namespace::text and name = :name::text and job = :job::bigint and token = :token::text
returning name;
